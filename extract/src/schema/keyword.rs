//! Adds the constraints and annotations of attributes to a schema.

use schemars::Schema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    accepts::LengthUnit,
    marks::{KEEP_VALID_ITEMS, KEY, MERGE, SENSITIVE},
    mistakes,
    view::keywords::{list, types},
};

/// One constraint or annotation. It is added beside existing keywords, even a `$ref` or a union
/// with `null`: a keyword of JSON Schema applies only to values of its own type.
#[derive(Debug)]
pub enum FieldKeyword<'a> {
    /// A title.
    Title(&'a str),
    /// A description.
    Description(&'a str),
    /// The minimum.
    Minimum(Value),
    /// The maximum.
    Maximum(Value),
    /// The exclusive minimum.
    ExclusiveMinimum(Value),
    /// The exclusive maximum.
    ExclusiveMaximum(Value),
    /// Numbers are multiples of this.
    MultipleOf(Value),
    /// Minimum characters, elements or entries.
    MinLength(LengthUnit, usize),
    /// Maximum characters, elements or entries.
    MaxLength(LengthUnit, usize),
    /// A regular expression that matches somewhere in the string.
    Pattern(&'a str),
    /// The format of the string.
    Format(&'a str),
    /// Elements differ from each other.
    Unique,
    /// The allowed values.
    OneOf(Vec<Value>),
    /// Sensitive: not repeated in messages.
    Sensitive,
    /// A list that may lose its broken items.
    KeepValidItems,
    /// Part of the key of the object that contains it.
    Key,
    /// How the values of several chunks are merged: `first`, `last`, `all` or `most`.
    Merge(&'a str),
    /// Examples.
    Examples(Vec<Value>),
    /// For each element.
    Items(&'a [FieldKeyword<'a>]),
    /// For each key.
    Keys(&'a [FieldKeyword<'a>]),
    /// For the value of each entry.
    Values(&'a [FieldKeyword<'a>]),
}

/// A number that can serve as a bound.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a bound",
    label = "a bound is a number",
    note = "write a number literal or the path of a constant of an integer or float type"
)]
pub trait NumberBound {
    /// The number as JSON, rounded where JSON has no such integer; `null` if it is not a number.
    fn into_value(self) -> Value;
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl NumberBound for $type {
            fn into_value(self) -> Value {
                Value::from(self)
            }
        }
    )*};
}

numbers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

macro_rules! floats {
    ($($type:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl NumberBound for $type {
            fn into_value(self) -> Value {
                // JSON has no infinity. Its numbers are those of `f64`.
                Value::from(f64::from(self).clamp(f64::MIN, f64::MAX))
            }
        }
    )*};
}

floats!(f32, f64);

macro_rules! wide_numbers {
    ($($type:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl NumberBound for $type {
            #[allow(clippy::cast_precision_loss, reason = "no integer beyond 64 bits is read")]
            fn into_value(self) -> Value {
                let whole = i128::try_from(self).ok().and_then(serde_json::Number::from_i128);
                whole.map_or_else(|| Value::from(self as f64), Value::Number)
            }
        }
    )*};
}

wide_numbers!(i128, u128);

/// Returns a bound as JSON.
pub fn bound(number: impl NumberBound) -> Value {
    number.into_value()
}

/// Returns the values of a `one_of` as JSON.
///
/// # Panics
///
/// When a value has no JSON form.
pub fn values<T: Serialize>(values: &[T]) -> Vec<Value> {
    values.iter().map(json).collect()
}

/// Returns an `example` of type `T` as JSON.
///
/// # Panics
///
/// When it has no JSON form.
pub fn examples<T: Serialize>(example: &T) -> Vec<Value> {
    vec![json(example)]
}

/// Returns an `example` that is written as a string.
pub fn text_example(example: &str) -> Vec<Value> {
    vec![Value::from(example)]
}

fn json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("values in attributes have a JSON form")
}

/// Returns the schema of a newtype as the key of a map: its inner type's with its own keywords.
pub fn key(inner: Option<Schema>, keywords: &[FieldKeyword<'_>]) -> Option<Schema> {
    if keywords.is_empty() {
        return inner;
    }
    let mut schema = inner.unwrap_or_else(|| schemars::json_schema!({ "type": "string" }));
    // The schema of a key has no definition of its own: what the inner type says would be replaced.
    let is_replaced = |keyword: &FieldKeyword<'_>| match keyword {
        FieldKeyword::Pattern(_) => schema.get("pattern").is_some(),
        FieldKeyword::Format(_) => schema.get("format").is_some(),
        FieldKeyword::OneOf(_) => schema.get("enum").is_some(),
        _ => false,
    };
    if keywords.iter().any(is_replaced) {
        schema = schemars::json_schema!({ "allOf": [schema] });
    }
    apply(&mut schema, keywords);
    Some(schema)
}

/// Adds `keywords` to `schema`.
pub(super) fn apply(schema: &mut Schema, keywords: &[FieldKeyword<'_>]) {
    if keywords.is_empty() {
        return;
    }
    let object = schema.ensure_object();
    for keyword in keywords {
        apply_one(object, keyword);
    }
}

fn apply_one(schema: &mut Map<String, Value>, keyword: &FieldKeyword<'_>) {
    match keyword {
        FieldKeyword::Title(title) => set(schema, "title", *title),
        FieldKeyword::Description(text) => describe(schema, text),
        FieldKeyword::Minimum(bound) => tighten(schema, "minimum", bound, f64::gt),
        FieldKeyword::Maximum(bound) => tighten(schema, "maximum", bound, f64::lt),
        FieldKeyword::ExclusiveMinimum(bound) => tighten(schema, "exclusiveMinimum", bound, f64::gt),
        FieldKeyword::ExclusiveMaximum(bound) => tighten(schema, "exclusiveMaximum", bound, f64::lt),
        FieldKeyword::MultipleOf(number) => set(schema, "multipleOf", number.clone()),
        FieldKeyword::MinLength(unit, least) => tighten(schema, unit.keywords().0, &(*least).into(), f64::gt),
        FieldKeyword::MaxLength(unit, most) => tighten(schema, unit.keywords().1, &(*most).into(), f64::lt),
        FieldKeyword::Pattern(pattern) => set(schema, "pattern", *pattern),
        FieldKeyword::Format(format) => set(schema, "format", *format),
        FieldKeyword::Unique => set(schema, "uniqueItems", true),
        FieldKeyword::OneOf(values) => one_of(schema, values),
        FieldKeyword::Sensitive => set(schema, SENSITIVE, true),
        FieldKeyword::KeepValidItems => set(schema, KEEP_VALID_ITEMS, true),
        FieldKeyword::Key => set(schema, KEY, true),
        FieldKeyword::Merge(policy) => set(schema, MERGE, *policy),
        FieldKeyword::Examples(values) => set(schema, "examples", values.clone()),
        FieldKeyword::Items(keywords) => apply_below(schema, "items", keywords),
        FieldKeyword::Keys(keywords) => apply_below(schema, "propertyNames", keywords),
        FieldKeyword::Values(keywords) => apply_below(schema, "additionalProperties", keywords),
    }
}

fn set(schema: &mut Map<String, Value>, name: &str, value: impl Into<Value>) {
    schema.insert(name.to_owned(), value.into());
}

/// In an enum, the existing description belongs to the values and is kept below the new one.
fn describe(schema: &mut Map<String, Value>, text: &str) {
    let text = match schema.get("description") {
        Some(Value::String(below)) if schema.contains_key("enum") => format!("{text}\n\n{below}"),
        _ => text.to_owned(),
    };
    set(schema, "description", text);
}

/// Sets a bound, unless an equal or tighter one exists, such as an integer type's.
fn tighten(schema: &mut Map<String, Value>, name: &str, bound: &Value, is_tighter: fn(&f64, &f64) -> bool) {
    let Some(new) = bound.as_f64() else {
        return mistakes::note(schema, format!("the constant for `{name}` is not a number"));
    };
    let is_infinite = new.abs() >= f64::MAX;
    let is_no_bound = if name.ends_with("inimum") { new < 0.0 } else { new > 0.0 };
    if is_infinite && is_no_bound {
        return;
    }
    if is_infinite {
        return mistakes::note(
            schema,
            format!("no number satisfies the constant for `{name}`, which is infinite"),
        );
    }
    let has_tighter = schema.get(name).and_then(Value::as_f64).is_some_and(|old| is_tighter(&old, &new));
    if !has_tighter {
        set(schema, name, bound.clone());
    }
}

fn one_of(schema: &mut Map<String, Value>, values: &[Value]) {
    let mut values = values.to_vec();
    if allows_null(schema) {
        values.push(Value::Null);
    }
    set(schema, "enum", values);
}

/// Returns whether the schema comes from an `Option`. References are not followed: `Option` puts
/// `null` beside them.
fn allows_null(schema: &Map<String, Value>) -> bool {
    let is_null =
        |schema: &Map<String, Value>| schema.get("type").is_some_and(|of| types(of).contains(&"null"));
    is_null(schema) || list(schema, "anyOf").filter_map(Value::as_object).any(is_null)
}

fn apply_below(schema: &mut Map<String, Value>, name: &str, keywords: &[FieldKeyword<'_>]) {
    let below = schema.entry(name).or_insert(Value::Bool(true));
    if !below.is_object() {
        *below = Value::Object(Map::new());
    }
    if let Value::Object(below) = below {
        for keyword in keywords {
            apply_one(below, keyword);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn applied(schema: Value, keyword: FieldKeyword<'_>) -> Value {
        let mut schema = Schema::try_from(schema).unwrap();
        apply(&mut schema, &[keyword]);
        schema.to_value()
    }

    #[test]
    fn a_bound_never_loosens_that_of_the_type() {
        let byte = json!({ "type": "integer", "minimum": 0, "maximum": 255 });
        assert_eq!(applied(byte.clone(), FieldKeyword::Maximum(bound(300)))["maximum"], 255);
        assert_eq!(applied(byte.clone(), FieldKeyword::Maximum(bound(10)))["maximum"], 10);
        assert_eq!(applied(byte.clone(), FieldKeyword::Minimum(bound(-1)))["minimum"], 0);
        assert_eq!(applied(byte, FieldKeyword::Minimum(bound(1)))["minimum"], 1);
    }

    #[test]
    fn null_stays_allowed_where_it_was() {
        let values = || FieldKeyword::OneOf(values(&["a"]));
        assert_eq!(applied(json!({ "type": "string" }), values())["enum"], json!(["a"]));
        assert_eq!(applied(json!({ "type": ["string", "null"] }), values())["enum"], json!(["a", null]));
        let union = json!({ "anyOf": [{ "$ref": "#/$defs/A" }, { "type": "null" }] });
        assert_eq!(applied(union, values())["enum"], json!(["a", null]));
    }

    #[test]
    fn keywords_for_elements_join_what_is_there() {
        let list = json!({ "type": "array", "items": { "type": "string" } });
        let items = [FieldKeyword::MinLength(LengthUnit::Text, 2)];
        assert_eq!(
            applied(list, FieldKeyword::Items(&items))["items"],
            json!({ "type": "string", "minLength": 2 })
        );
        let open = json!({ "$ref": "#/$defs/List" });
        assert_eq!(applied(open, FieldKeyword::Items(&items))["items"], json!({ "minLength": 2 }));
    }

    #[test]
    fn a_bound_that_json_cannot_say_is_no_bound() {
        assert_eq!(applied(json!({}), FieldKeyword::Maximum(bound(f64::INFINITY))), json!({}));
        assert_eq!(applied(json!({}), FieldKeyword::ExclusiveMinimum(bound(f64::NEG_INFINITY))), json!({}));
    }
}
