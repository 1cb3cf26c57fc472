//! Equal values.

use serde_json::{Number, Value};

/// A value as JSON Schema compares it: 1 and 1.0 are one number (2020-12 core, section 4.2.2).
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum ComparedValue<'v> {
    Whole(i128),
    Fraction(u64),
    Other(&'v Value),
}

impl<'v> ComparedValue<'v> {
    pub(crate) fn of(value: &'v Value) -> Self {
        match value {
            Value::Number(number) => match (whole(number), number.as_f64()) {
                (Some(whole), _) => Self::Whole(whole),
                (None, Some(float)) => Self::Fraction(float.to_bits()),
                (None, None) => Self::Other(value),
            },
            value => Self::Other(value),
        }
    }
}

/// The integer that `number` is, if it is one, however it is written.
pub(super) fn whole(number: &Number) -> Option<i128> {
    number.as_i128().or_else(|| {
        let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 1e30)?;
        #[allow(clippy::cast_possible_truncation, reason = "it has no fraction and is in range")]
        let whole = float as i128;
        Some(whole)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_numbers_are_equal_however_they_are_written_and_large_ones_are_not_rounded() {
        let same = |one: &Value, other: &Value| ComparedValue::of(one) == ComparedValue::of(other);
        assert!(same(&json!(1), &json!(1.0)) && same(&json!(0), &json!(-0.0)));
        assert!(same(&json!("a"), &json!("a")) && same(&json!(0.5), &json!(0.5)));
        assert!(!same(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992_u64)));
        assert!(!same(&json!(u64::MAX), &json!(u64::MAX - 1)));
        assert!(!same(&json!(1), &json!("1")) && !same(&json!(null), &json!(false)));
    }
}
