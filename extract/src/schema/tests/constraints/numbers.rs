//! Constraints on numbers.

use serde_json::{Value, json};

use super::Case;

/// The first integer that a 64-bit float cannot represent: 2^53 + 1.
const NO_FLOAT: i64 = 9_007_199_254_740_993;

fn whole(name: &'static str, keyword: &str, value: impl Into<Value>, fits: Value, breaks: Value) -> Case {
    Case::of(name, json!({"type": "integer", keyword: value.into()}), fits, breaks)
}

fn number(name: &'static str, keyword: &str, value: impl Into<Value>, fits: Value, breaks: Value) -> Case {
    Case::of(name, json!({"type": "number", keyword: value.into()}), fits, breaks)
}

pub(super) fn cases() -> Vec<Case> {
    [types(), bounds(), limits()].into_iter().flatten().collect()
}

fn types() -> Vec<Case> {
    vec![
        Case::of(
            "`type`: an integer",
            json!({"type": "integer"}),
            json!([0, -3, 12]),
            json!([1.5, "1", true]),
        ),
        Case::of("`type`: a number", json!({"type": "number"}), json!([0, -1.5, 1e300]), json!(["1", null])),
        Case::of(
            "`type`: a boolean",
            json!({"type": "boolean"}),
            json!([true, false]),
            json!([0, "true", null]),
        ),
        Case::of("`type`: null", json!({"type": "null"}), json!([null]), json!([0, "null", false])),
    ]
}

fn bounds() -> Vec<Case> {
    vec![
        whole("`minimum` of integers", "minimum", json!(3), json!([3, 10, 999]), json!([2, 0, -3])),
        whole("`maximum` of integers", "maximum", json!(3), json!([3, 0, -10]), json!([4, 10])),
        whole("`exclusiveMinimum` of integers", "exclusiveMinimum", json!(3), json!([4]), json!([3])),
        whole("`exclusiveMaximum` of integers", "exclusiveMaximum", json!(3), json!([2, -4]), json!([3])),
        whole("`multipleOf` of integers", "multipleOf", json!(3), json!([0, 9, -6]), json!([1, 10])),
        number("`minimum` of numbers", "minimum", json!(0.5), json!([0.5, 1, 12.25]), json!([0.25, 0, -1.5])),
        number("`maximum` of numbers", "maximum", json!(0.5), json!([0.5, 0, -12.25]), json!([0.75, 1])),
        number(
            "`exclusiveMinimum` of numbers",
            "exclusiveMinimum",
            json!(0),
            json!([0.5, 3]),
            json!([0, -0.5]),
        ),
        number(
            "`exclusiveMaximum` of numbers",
            "exclusiveMaximum",
            json!(1),
            json!([0.5, -3]),
            json!([1, 1.5]),
        ),
        number(
            "`multipleOf` of numbers",
            "multipleOf",
            json!(0.25),
            json!([0.75, 2, -0.5]),
            json!([0.3, 1.1]),
        ),
        number(
            "`multipleOf` of hundredths",
            "multipleOf",
            json!(0.01),
            json!([19.99, -19.99, 0.07, 4]),
            json!([0.005]),
        ),
        Case::of(
            "`multipleOf` beside `minimum: 0`",
            json!({"type": "number", "minimum": 0, "multipleOf": 0.01}),
            json!([0, 0.07, 19.99, 400]),
            json!([0.005, 19.999]),
        ),
        number("`enum` of numbers", "enum", json!([1, 2.5]), json!([1, 2.5]), json!([2, 1.5, 25])),
        number("`const`, a number", "const", json!(0.1), json!([0.1]), json!([0.2, 0])),
    ]
}

fn limits() -> Vec<Case> {
    vec![
        Case::of(
            "the limits of `u8`",
            json!({"type": "integer", "minimum": 0, "maximum": 255}),
            json!([0, 255]),
            json!([-1, 256]),
        ),
        Case::of(
            "the limits of `i64`",
            json!({"type": "integer", "minimum": i64::MIN, "maximum": i64::MAX}),
            json!([i64::MIN, i64::MAX, 0, NO_FLOAT]),
            json!([u64::MAX, i64::MAX.unsigned_abs() + 1]),
        ),
        Case::of(
            "the limits of `u64`",
            json!({"type": "integer", "minimum": 0, "maximum": u64::MAX}),
            json!([u64::MAX, i64::MAX.unsigned_abs() + 1, 0, NO_FLOAT]),
            json!([-1, i64::MIN, 1e20]),
        ),
        whole(
            "`minimum` beyond 2^53",
            "minimum",
            json!(NO_FLOAT),
            json!([NO_FLOAT]),
            json!([NO_FLOAT - 1, 0]),
        ),
        whole(
            "`maximum` beyond 2^53",
            "maximum",
            json!(NO_FLOAT),
            json!([NO_FLOAT, 0]),
            json!([NO_FLOAT + 1, u64::MAX]),
        ),
        whole("`const` beyond 2^53", "const", json!(NO_FLOAT), json!([NO_FLOAT]), json!([NO_FLOAT - 1, 0])),
        whole(
            "`enum` beyond 2^53",
            "enum",
            json!([NO_FLOAT, 1]),
            json!([NO_FLOAT, 1]),
            json!([NO_FLOAT - 1, 0]),
        ),
        whole(
            "`multipleOf` beyond 2^32",
            "multipleOf",
            json!(5_000_000_000_u64),
            json!([5_000_000_000_u64]),
            json!([5]),
        ),
        number(
            "`multipleOf` of small fractions",
            "multipleOf",
            json!(1e-7),
            json!([0.000_000_3]),
            json!([0.000_000_25]),
        ),
        number("`maximum` of hundreds of digits", "maximum", json!(1e300), json!([1.5, 2]), json!([1e301])),
    ]
}
