//! When two listed values are the same.

use serde_json::Value;

/// A value as `enum` and `const` compare it: 1 and 1.0 are one number (JSON Schema 2020-12 core,
/// section 4.2.2).
#[derive(PartialEq, Eq, Hash)]
pub(super) enum ComparedConstant<'v> {
    Integer(i128),
    Other(&'v Value),
}

impl<'v> ComparedConstant<'v> {
    pub(super) fn of(value: &'v Value) -> Self {
        /// Every integer in JSON that is read exactly is smaller.
        const MAX: f64 = 1e30;
        let whole = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
        let is_whole = |number: &f64| number.fract() == 0.0 && number.abs() < MAX;
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
        let as_whole = |number: f64| number as i128;
        match whole.or_else(|| value.as_f64().filter(is_whole).map(as_whole)) {
            Some(whole) => Self::Integer(whole),
            None => Self::Other(value),
        }
    }
}

#[test]
fn a_number_is_the_same_however_it_is_written() {
    use serde_json::json;

    let is_same = |one: Value, other: Value| ComparedConstant::of(&one) == ComparedConstant::of(&other);
    assert!(
        is_same(json!(1), json!(1.0)) && is_same(json!(0), json!(-0.0)) && is_same(json!("a"), json!("a"))
    );
    assert!(!is_same(json!(u64::MAX), json!(u64::MAX - 1)) && !is_same(json!(1), json!("1")));
    assert!(!is_same(json!(0.5), json!(0.25)) && !is_same(json!(1e300), json!(1)));
}
