//! Numbers. llguidance computes with 64-bit floats and integers, and would constrain the model to a
//! neighbour of a number that it cannot represent.

use extract::{
    Path,
    schema::dialect::{UnenforcedConstraint, implied_types},
};
use serde_json::{Map, Number, Value};

/// Up to 2^53, a float represents every integer. This also avoids overflow near the end of 64 bits.
const EXACT: u64 = 9_007_199_254_740_992;

const BOUNDS: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const NEGATIVE: &str = "is a fraction, of which the grammar knows no negative multiples";
const INEXACT: &str = "is a number beyond 2^53, which the grammar would round";

/// Removes numbers from `translated` that cannot be expressed exactly.
pub(super) fn fix(
    translated: &mut Map<String, Value>,
    path: &Path,
    unenforced: &mut Vec<UnenforcedConstraint>,
) {
    let inexact = |name: &&str| translated.get(*name).is_some_and(|value| !is_exact(value));
    let beyond = |name: &&str| translated.get(*name).is_some_and(is_beyond_exact);
    let bounds = BOUNDS.iter().copied().filter(|name| inexact(name) || beyond(name));
    let inexact: Vec<&str> = bounds.chain(["enum", "const"].into_iter().filter(inexact)).collect();
    if has_fractions(translated)
        && may_be_negative(translated)
        && translated.shift_remove("multipleOf").is_some()
    {
        unenforced.push(UnenforcedConstraint::new(path.clone(), "multipleOf", NEGATIVE));
    }
    for name in inexact {
        if let ("enum" | "const", None) = (name, translated.get("type"))
            && let Some(types) = implied_types(translated)
        {
            translated.insert("type".to_owned(), types);
        }
        translated.shift_remove(name);
        unenforced.push(UnenforcedConstraint::new(path.clone(), name, INEXACT));
    }
}

/// Returns whether `multipleOf` is a fraction. llguidance 1.9.1 rejects negative multiples of one.
fn has_fractions(translated: &Map<String, Value>) -> bool {
    translated.get("multipleOf").and_then(Value::as_f64).is_some_and(|step| step.fract() != 0.0)
}

fn may_be_negative(translated: &Map<String, Value>) -> bool {
    let is_least =
        |name: &str| translated.get(name).and_then(Value::as_f64).is_some_and(|least| least >= 0.0);
    !is_least("minimum") && !is_least("exclusiveMinimum")
}

/// Returns whether `value` is a float beyond 2^53, such as the bounds of `f32`. The grammar of a
/// range writes out all digits of its ends.
fn is_beyond_exact(value: &Value) -> bool {
    value.as_f64().is_some_and(|bound| value.is_f64() && bound.abs() > 9_007_199_254_740_992.0)
}

fn is_exact(value: &Value) -> bool {
    match value {
        Value::Number(number) => is_exact_number(number),
        Value::Array(list) => list.iter().all(is_exact),
        Value::Object(object) => object.values().all(is_exact),
        _ => true,
    }
}

fn is_exact_number(number: &Number) -> bool {
    match (number.as_u64(), number.as_i64()) {
        (Some(number), _) => number <= EXACT,
        (None, Some(number)) => number.unsigned_abs() <= EXACT,
        (None, None) => true,
    }
}
