//! Compares the schema with serde.

use extract::Extractable;
use jsonschema::{
    JsonType, Keyword, ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};

use super::generated;

/// The validator of `T`'s schema.
pub(super) fn validator<T: Extractable>() -> Validator {
    let schema = T::schema();
    jsonschema::options()
        .should_validate_formats(true)
        .with_keyword("x-decimal", |_, _, _| Ok(Box::new(AllDigits)))
        .build(&schema)
        .unwrap_or_else(|error| panic!("{error}\n{schema:#}"))
}

/// The mark of decimals, as the crate of decimals judges it.
struct AllDigits;

impl<'i> Keyword<'i> for AllDigits {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        let is_valid = Keyword::is_valid(self, instance);
        if is_valid { Ok(()) } else { Err(ValidationError::custom("has too many digits")) }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        match instance {
            Value::String(text) => Decimal::from_str_exact(text).is_ok(),
            // Rust writes a double without an exponent.
            Value::Number(number) => {
                let double = || number.as_f64().map(|double| double.to_string());
                let digits = if number.is_f64() { double() } else { Some(number.to_string()) };
                digits.is_some_and(|digits| Decimal::from_str_exact(&digits).is_ok())
            }
            _ => true,
        }
    }
}

/// The number of values that are generated for a type.
const GENERATED: usize = 400;

/// Panics unless the schema accepts exactly the values that serde accepts: `values`, values derived
/// from them, and values generated from the schema.
///
/// Derived values have one part replaced by a value of another type, removed, or with an unknown
/// key added. For generated ones see [`generated`]. Returns how many of `values` and their
/// derivatives were accepted, so that a test can check that some were.
pub(super) fn check<T: Extractable>(values: impl IntoIterator<Item = Value>) -> usize {
    check_but_for::<T>(&[], values)
}

/// Values that the schema of some types rejects and serde accepts; the reference of the derive
/// lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stricter {
    /// Strings with several spellings, such as times.
    Spelling,
    /// Equal elements of a set, which serde drops.
    Equal,
    /// Seconds among the nanoseconds of a `Duration`.
    Nanos,
    /// Numbers that are infinite as `f32`.
    Infinite,
    /// Digits that a decimal does not hold, which serde rounds.
    Rounded,
    /// Several variants of a flattened enum, of which serde takes the first.
    Variants,
}

/// The same for a type whose schema is stricter in these respects.
pub(super) fn check_but_for<T: Extractable>(
    stricter: &[Stricter],
    values: impl IntoIterator<Item = Value>,
) -> usize {
    let oracle = Oracle { validator: validator::<T>(), stricter };
    let given = values.into_iter().flat_map(|value| with_mutants(&value)).collect::<Vec<_>>();
    let generated = generated::values(&T::schema(), GENERATED);
    let hits = oracle.agreed::<T>(&generated);
    assert!(hits > 0, "none of the generated values is accepted\n{:#}", T::schema());
    oracle.agreed::<T>(&given)
}

struct Oracle<'s> {
    validator: Validator,
    stricter: &'s [Stricter],
}

impl Oracle<'_> {
    /// How many of `values` the schema and serde accept.
    fn agreed<T: Extractable>(&self, values: &[Value]) -> usize {
        let mut accepted = 0;
        for value in values {
            let by_schema = self.validator.is_valid(value);
            let by_serde = T::deserialize(value);
            assert!(
                by_schema == by_serde.is_ok() || (!by_schema && self.is_another_form(value)),
                "{value}\nschema accepts: {by_schema}\nserde: {:?}\n{:#}",
                by_serde.map(|_| ()),
                T::schema()
            );
            accepted += usize::from(by_schema);
        }
        accepted
    }

    /// Returns whether `value`, which serde accepts, has a form that the schema does not offer to
    /// the agent. The reverse never holds, and any other rejection by the schema is a mistake in
    /// it.
    fn is_another_form(&self, value: &Value) -> bool {
        self.validator.iter_errors(value).all(|error| self.is_about_a_form(&error))
    }

    fn is_about_a_form(&self, error: &ValidationError<'_>) -> bool {
        let instance = error.instance();
        match error.kind() {
            // One branch of a union suffices.
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                context.iter().any(|branch| branch.iter().all(|error| self.is_about_a_form(error)))
            }
            Kind::PropertyNames { error } => self.is_about_a_form(error),
            Kind::Type { kind: TypeKind::Single(expected) } => match expected {
                // The fields of a struct by their positions.
                JsonType::Object => instance.is_array(),
                // `{"Unit": null}` for the unit variant `"Unit"`, and a tag by its index.
                JsonType::String => unit(instance).is_some() || instance.is_u64(),
                // `{}` for a unit next to a tag.
                JsonType::Null => instance.as_object().is_some_and(Map::is_empty),
                _ => false,
            },
            Kind::Enum { options } => unit(instance).is_some_and(|name| contains(options, name)),
            Kind::Constant { expected_value } => {
                instance.is_u64() || unit(instance).is_some_and(|name| **expected_value == *name)
            }
            kind => stricter(kind, error).is_some_and(|kind| self.stricter.contains(&kind)),
        }
    }
}

fn stricter(kind: &Kind, error: &ValidationError<'_>) -> Option<Stricter> {
    match kind {
        Kind::Pattern { .. } | Kind::Format { .. } => Some(Stricter::Spelling),
        Kind::UniqueItems => Some(Stricter::Equal),
        Kind::OneOfMultipleValid { .. } => Some(Stricter::Variants),
        Kind::Maximum { limit } | Kind::Minimum { limit } if limit.as_f64().is_some_and(is_end_of_f32) => {
            Some(Stricter::Infinite)
        }
        Kind::Custom { .. } => Some(Stricter::Rounded),
        Kind::Maximum { .. } if error.instance_path().as_str().contains("/nanos") => Some(Stricter::Nanos),
        _ => None,
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the rounding decides")]
fn is_end_of_f32(limit: f64) -> bool {
    (limit as f32).abs().total_cmp(&f32::MAX).is_eq()
}

/// The key of `{"Unit": null}`.
fn unit(value: &Value) -> Option<&str> {
    let map = value.as_object().filter(|map| map.len() == 1)?;
    map.iter().find(|(_, inside)| inside.is_null()).map(|(name, _)| name.as_str())
}

fn contains(options: &Value, name: &str) -> bool {
    options.as_array().is_some_and(|options| options.iter().any(|option| option == name))
}

fn with_mutants(value: &Value) -> Vec<Value> {
    let mut all = vec![value.clone()];
    all.extend(mutants(value));
    all
}

fn mutants(value: &Value) -> Vec<Value> {
    let others = [json!(null), json!(true), json!(-1), json!(0.5), json!("x"), json!([]), json!({})];
    let mut mutants: Vec<Value> = others.into_iter().filter(|other| other != value).collect();
    match value {
        Value::Object(map) => {
            let mut open = map.clone();
            open.insert("nobody knows".to_owned(), json!(1));
            mutants.push(Value::Object(open));
            for key in map.keys() {
                let mut without = map.clone();
                without.shift_remove(key);
                mutants.push(Value::Object(without));
                mutants.extend(self::mutants(&map[key]).into_iter().map(|mutant| {
                    let mut changed = map.clone();
                    changed[key] = mutant;
                    Value::Object(changed)
                }));
            }
        }
        Value::Array(list) => {
            for index in 0..list.len() {
                let mut without = list.clone();
                without.remove(index);
                mutants.push(Value::Array(without));
                mutants.extend(self::mutants(&list[index]).into_iter().map(|mutant| {
                    let mut changed = list.clone();
                    changed[index] = mutant;
                    Value::Array(changed)
                }));
            }
            let mut longer = list.clone();
            longer.push(json!("one more"));
            mutants.push(Value::Array(longer));
        }
        _ => {}
    }
    mutants
}

/// Schemas that are too strict, as if the derive had a mistake.
mod mistakes {
    use extract::schema::{Schema, SchemaGenerator, json_schema};
    use serde::Deserialize;

    use super::*;

    macro_rules! given {
        ($name:ident: $type:ty = $schema:tt) => {
            #[derive(Deserialize, Extractable)]
            struct $name {
                #[serde(default)]
                #[extract(schema_with = $name::given)]
                _field: $type,
            }

            impl $name {
                fn given(_: &mut SchemaGenerator) -> Schema {
                    json_schema!($schema)
                }
            }
        };
    }

    given!(ForgottenNull: Option<u8> = {"type": "integer", "minimum": 0, "maximum": 255});
    given!(ForgottenNullOfAUnion: Option<Vec<u8>> = {"anyOf": [
        {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}},
    ]});
    given!(StrictArray: Vec<u8> = {
        "type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}, "maxItems": 1,
    });
    given!(StrictElements: Vec<Option<u8>> = {
        "type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255},
    });
    given!(StrictString: String = {"type": "string", "pattern": "^[a-z]*$"});

    macro_rules! is_noticed {
        ($($test:ident: $type:ty, $value:tt;)*) => {$(
            #[test]
            #[should_panic(expected = "schema accepts: false")]
            fn $test() {
                check::<$type>([json!($value)]);
            }
        )*};
    }

    is_noticed! {
        a_forgotten_null_is_noticed: ForgottenNull, {"_field": 1};
        a_forgotten_null_of_a_union_is_noticed: ForgottenNullOfAUnion, {"_field": [1]};
        an_array_that_is_too_short_is_noticed: StrictArray, {"_field": [1]};
        a_forgotten_null_of_elements_is_noticed: StrictElements, {"_field": [1]};
        a_pattern_that_is_too_strict_is_noticed: StrictString, {"_field": "A"};
    }
}
