//! The parts of a schema as a text is checked against them.

use jsonschema::Validator;
use serde_json::{Map, Number, Value};

use crate::{
    reading::shape::{Id, NullReading, Shapes, kind},
    schema::validator_options,
};

/// A part of the schema. Others are named by their index.
#[derive(Debug)]
pub(super) enum CheckedNode {
    Scalar { shape: Id, texts: KnownTexts, numbers: KnownNumbers, bounds: Option<ScalarBounds> },
    List { items: usize, min: usize, max: usize, allows_null: bool },
    Object { shape: Id, members: Vec<usize>, required: u64, allows_null: bool },
}

impl CheckedNode {
    pub(super) fn scalar(shape: Id, shapes: &Shapes, bounds: Option<ScalarBounds>) -> Self {
        let texts = KnownTexts::of(shape, shapes, bounds.as_ref());
        let numbers = KnownNumbers::of(shape, shapes, bounds.as_ref());
        Self::Scalar { shape, texts, numbers, bounds }
    }
}

/// Texts of which it is known beforehand that the scalar takes them as they are.
#[derive(Debug)]
pub(super) enum KnownTexts {
    /// Those of so many characters.
    OfLength {
        min: usize,
        max: usize,
    },
    Listed(Vec<String>),
}

/// Most listed texts that are compared one by one. More are looked up.
const MAX_LISTED: usize = 16;

impl KnownTexts {
    pub(super) fn of(id: Id, shapes: &Shapes, bounds: Option<&ScalarBounds>) -> Self {
        let shape = shapes.get(id);
        if shape.keeps_all(kind::TEXT) {
            let length = bounds.map_or(Some((0, usize::MAX)), |bounds| bounds.length);
            let known = length.map(|(min, max)| Self::OfLength { min, max });
            return known.unwrap_or(Self::Listed(Vec::new()));
        }
        let is_taken = |value: &&Value| {
            shapes.keep(id, value, NullReading::Null) && bounds.is_none_or(|bounds| bounds.allow(value))
        };
        let listed = shape.choices.iter().flatten().take(MAX_LISTED).filter(is_taken);
        Self::Listed(listed.filter_map(Value::as_str).map(str::to_owned).collect())
    }

    pub(super) fn take(&self, text: &str) -> bool {
        match self {
            // A character takes one to four bytes, so most need not be counted.
            Self::OfLength { min, max } if text.len().div_ceil(4) >= *min && text.len() <= *max => true,
            Self::OfLength { min, max } => (*min..=*max).contains(&text.chars().count()),
            Self::Listed(listed) => listed.iter().any(|known| known == text),
        }
    }
}

/// Numbers of which it is known beforehand that the scalar takes them as they are: those in a range, if they are
/// exact as doubles.
#[derive(Debug)]
pub(super) struct KnownNumbers {
    integers: Option<(f64, f64)>,
    fractions: Option<(f64, f64)>,
}

impl KnownNumbers {
    pub(super) fn of(id: Id, shapes: &Shapes, bounds: Option<&ScalarBounds>) -> Self {
        let range = bounds.map_or(Some((f64::NEG_INFINITY, f64::INFINITY)), |bounds| bounds.range);
        let shape = shapes.get(id);
        Self {
            integers: range.filter(|_| shape.keeps_all(kind::INTEGER)),
            fractions: range.filter(|_| shape.takes_any_fraction()),
        }
    }

    pub(super) fn take(&self, number: SmallNumber) -> bool {
        let range = if number.whole.is_some() { self.integers } else { self.fractions };
        range.is_some_and(|(min, max)| (min..=max).contains(&number.value))
    }
}

/// A number that is exact as a double, or rounded once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SmallNumber {
    pub(super) value: f64,
    /// The number itself, if it has no fraction.
    pub(super) whole: Option<i64>,
}

/// The bounds of a scalar.
#[derive(Debug)]
pub(super) struct ScalarBounds {
    /// The numbers that they allow, if they are no other bounds. A validator takes longer to compare.
    range: Option<(f64, f64)>,
    /// The numbers of characters that they allow, if they are no other bounds.
    length: Option<(usize, usize)>,
    validator: Validator,
}

/// Integers up to this one are exact as doubles.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// `number` as a double, if that is exact.
fn exact(number: &Number) -> Option<f64> {
    number.as_f64().filter(|double| number.is_f64() || double.abs() < EXACT)
}

/// The limits that `bounds` set by these keywords, of which each replaces its side of `open`. `None` if there are
/// other bounds, or one that cannot be read.
fn limits<T: Copy>(
    bounds: &Map<String, Value>,
    [least, most]: [&str; 2],
    open: (T, T),
    read: impl Fn(&Value) -> Option<T>,
) -> Option<(T, T)> {
    bounds.iter().try_fold(open, |(min, max), (keyword, bound)| match keyword {
        keyword if keyword == least => Some((read(bound)?, max)),
        keyword if keyword == most => Some((min, read(bound)?)),
        _ => None,
    })
}

impl ScalarBounds {
    pub(super) fn of(bounds: Map<String, Value>) -> Option<Self> {
        let number = |bound: &Value| exact(bound.as_number()?);
        let count = |bound: &Value| usize::try_from(bound.as_u64()?).ok();
        let range = limits(&bounds, ["minimum", "maximum"], (f64::NEG_INFINITY, f64::INFINITY), number);
        let length = limits(&bounds, ["minLength", "maxLength"], (0, usize::MAX), count);
        let validator = validator_options().build(&Value::Object(bounds)).ok()?;
        Some(Self { range, length, validator })
    }

    pub(super) fn allow(&self, value: &Value) -> bool {
        match (self.range, value.as_number().and_then(exact)) {
            (Some((min, max)), Some(number)) => (min..=max).contains(&number),
            _ => self.validator.is_valid(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_compared_as_the_validator_compares_them() {
        let numbers = json!([
            0,
            -1,
            1,
            100,
            101,
            0.5,
            -0.0,
            99.999,
            1e300,
            -1e300,
            9_007_199_254_740_991_i64,
            9_007_199_254_740_992_i64,
            9_007_199_254_740_993_i64,
            u64::MAX,
            i64::MIN,
            9_007_199_254_740_992.0,
            1.844_674_407_370_955_2e19,
            "1",
            null,
            true
        ]);
        let numbers = numbers.as_array().unwrap();
        for bound in numbers.iter().filter(|bound| bound.is_number()) {
            for (keyword, other) in [("minimum", "maximum"), ("maximum", "exclusiveMinimum")] {
                for bounds in [json!({keyword: bound}), json!({keyword: bound, other: 50})] {
                    let bounds = ScalarBounds::of(bounds.as_object().unwrap().clone()).unwrap();
                    for number in numbers {
                        let (ours, theirs) = (bounds.allow(number), bounds.validator.is_valid(number));
                        assert_eq!(ours, theirs, "{number} {bounds:?}");
                    }
                }
            }
        }
    }
}
