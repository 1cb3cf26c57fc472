//! Numbers for examples.

use serde_json::{Map, Number, Value};

/// The numbers that a type allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberKind {
    Integer,
    Any,
}

/// A number within the bounds of `object`: 1 if allowed, else the one with the smallest magnitude.
pub(super) fn example(object: &Map<String, Value>, kind: NumberKind) -> Value {
    let is_integer = kind == NumberKind::Integer;
    let bound = |keyword| object.get(keyword).and_then(Value::as_f64);
    let low = bound("minimum").unwrap_or(f64::NEG_INFINITY);
    let high = bound("maximum").unwrap_or(f64::INFINITY);
    let above = bound("exclusiveMinimum").unwrap_or(f64::NEG_INFINITY);
    let below = bound("exclusiveMaximum").unwrap_or(f64::INFINITY);
    let step = bound("multipleOf").filter(|step| *step > 0.0);
    let is_allowed = |n: &f64| *n >= low && *n <= high && *n > above && *n < below;

    let floor = low.max(above);
    let ceiling = high.min(below);
    let unit = step.unwrap_or(if is_integer { 1.0 } else { 0.5 });
    // A multiple of `multipleOf`, near the bound that is nearer to 1.
    let grid = |n: f64, up: bool| if up { (n / unit).ceil() * unit } else { (n / unit).floor() * unit };
    let mut candidates = vec![];
    if step.is_none() || step == Some(1.0) {
        candidates.push(1.0);
    }
    candidates.push(unit);
    if floor.is_finite() {
        candidates.extend([grid(floor, true), grid(floor, true) + unit]);
    }
    if ceiling.is_finite() {
        candidates.extend([grid(ceiling, false), grid(ceiling, false) - unit]);
    }
    if floor.is_finite() && ceiling.is_finite() && !is_integer && step.is_none() {
        candidates.push(f64::midpoint(floor, ceiling));
    }
    candidates.push(0.0);
    let chosen = candidates.into_iter().find(is_allowed).unwrap_or(1.0);
    to_number(chosen, object, kind)
}

/// Removes the noise of binary fractions. A bound itself stays exact.
fn to_number(chosen: f64, object: &Map<String, Value>, kind: NumberKind) -> Value {
    let bounds = ["minimum", "maximum"].into_iter().filter_map(|keyword| object.get(keyword));
    if let Some(bound) =
        bounds.filter(|_| kind == NumberKind::Any).find(|bound| bound.as_f64() == Some(chosen))
    {
        return bound.clone();
    }
    if kind == NumberKind::Integer {
        // In the range where `f64` holds every integer. Bounds above it are far from 1 and never
        // chosen.
        #[allow(clippy::cast_possible_truncation)]
        return Value::from(chosen as i64);
    }
    let rounded = (chosen * 1e9).round() / 1e9;
    let value = if rounded == 0.0 { chosen } else { rounded };
    Number::from_f64(value).map_or(Value::from(1), Value::Number)
}
