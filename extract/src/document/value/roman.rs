//! Roman numerals.

/// Units that would be Roman numerals too.
const UNITS: [&str; 8] = ["mm", "cm", "dm", "ml", "cl", "dl", "mi", "di"];

/// The value of `word`, a word in lower case, if it is a Roman numeral of several letters. A single
/// letter is more often something else.
pub(super) fn value(word: &str) -> Option<f64> {
    if word.len() > 1 && !UNITS.contains(&word) { worth(word) } else { None }
}

/// The value of Roman digits in lower case, in their usual order.
pub(super) fn worth(word: &str) -> Option<f64> {
    const LONGEST: usize = 15;
    const PARTS: [(&str, u32); 13] = [
        ("m", 1000),
        ("cm", 900),
        ("d", 500),
        ("cd", 400),
        ("c", 100),
        ("xc", 90),
        ("l", 50),
        ("xl", 40),
        ("x", 10),
        ("ix", 9),
        ("v", 5),
        ("iv", 4),
        ("i", 1),
    ];
    if word.len() > LONGEST {
        return None;
    }
    let (mut value, mut rest) = (0, word);
    for (letters, worth) in PARTS {
        while let Some(after) = rest.strip_prefix(letters) {
            (value, rest) = (value + worth, after);
        }
    }
    (!word.is_empty() && rest.is_empty()).then_some(f64::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roman_numeral_has_its_value_and_a_unit_has_none() {
        for (word, expected) in [
            ("ii", Some(2.0)),
            ("xiv", Some(14.0)),
            ("mcmxcix", Some(1999.0)),
            ("ml", None),
            ("i", None),
            ("vivid", None),
            ("ic", None),
            ("", None),
        ] {
            assert_eq!(value(word), expected, "{word}");
        }
    }
}
