//! Numbers of the command line.

/// Parses a number from 1.
pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "it is a number from 1".to_owned())
}

/// Parses a number from 0 that is finite.
pub(crate) fn not_negative(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "it is a number from 0, such as 0.7".to_owned())
}

/// Parses a number from 0 to 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "it is a number from 0 to 1, such as 0.8".to_owned())
}
