//! Derives the Arrow type of the values that a schema allows.

use std::{collections::HashMap, sync::Arc};

use arrow_schema::{DataType, Field};
use serde_json::{Map, Value};

/// The canonical extension type of Arrow for JSON in a string; Parquet has a logical type for it.
const JSON: &str = "arrow.json";
const EXTENSION_NAME: &str = "ARROW:extension:name";
const EXTENSION_METADATA: &str = "ARROW:extension:metadata";

/// Maximum depth and maximum number of fields of a type. Definitions that refer to others twice
/// grow exponentially, so anything beyond these limits is JSON.
const MAX_DEPTH: usize = 32;
const MAX_FIELDS: usize = 4096;

/// The column, called `name`, for the values that a schema allows. It is nullable, because a
/// document may have no value.
///
/// | schema | Arrow |
/// |---|---|
/// | object with properties | `Struct`; a property that may be absent or null is nullable |
/// | object with `additionalProperties` only | `Map` with `Utf8` keys |
/// | array with `items` | `List` |
/// | string, enum of strings | `Utf8` |
/// | integer | `Int64`; `UInt64` if the schema allows none below 0 and some beyond `i64` |
/// | number | `Float64` |
/// | boolean | `Boolean` |
/// | anything else | `Utf8` with the value as JSON, see [`is_json`] |
///
/// "Anything else" includes unions of several types, enums with data, tuples, objects with both
/// properties and other keys, integers of 128 bits, the schema that allows everything, and a
/// definition inside itself: its first level has a type, and the levels below are JSON.
pub fn arrow_field(name: &str, schema: &Value) -> Field {
    let mut types = ColumnTypes { root: schema, open: Vec::new(), fields: 0 };
    let (data_type, _) = types.of(schema);
    data_type.field(name, true)
}

/// Returns whether the strings of a field are JSON.
pub fn is_json(field: &Field) -> bool {
    field.metadata().get(EXTENSION_NAME).is_some_and(|name| name == JSON)
}

/// A type of Arrow, or JSON in a string.
#[derive(Debug, Clone, PartialEq)]
enum ColumnKind {
    Typed(DataType),
    Json,
}

impl ColumnKind {
    fn field(self, name: &str, is_nullable: bool) -> Field {
        match self {
            Self::Typed(data_type) => Field::new(name, data_type, is_nullable),
            Self::Json => Field::new(name, DataType::Utf8, is_nullable).with_metadata(HashMap::from([
                (EXTENSION_NAME.to_owned(), JSON.to_owned()),
                (EXTENSION_METADATA.to_owned(), String::new()),
            ])),
        }
    }
}

struct ColumnTypes<'s> {
    root: &'s Value,
    /// The references being followed.
    open: Vec<&'s str>,
    fields: usize,
}

impl<'s> ColumnTypes<'s> {
    /// The type, and whether null is allowed.
    fn of(&mut self, schema: &'s Value) -> (ColumnKind, bool) {
        let Value::Object(object) = schema else { return (ColumnKind::Json, true) };
        if let Some(reference) = object.get("$ref") {
            return self.of_reference(object, reference);
        }
        if let Some(values) = allowed(object) {
            return of_values(&values);
        }
        match (object.get("anyOf").or_else(|| object.get("oneOf")), object.get("allOf")) {
            (Some(Value::Array(branches)), None) if !has_type(object) => self.of_union(branches),
            (None, Some(Value::Array(parts))) if parts.len() == 1 && !has_type(object) => {
                self.nested(&parts[0])
            }
            (None, None) => self.of_type(object),
            _ => (ColumnKind::Json, true),
        }
    }

    fn of_reference(&mut self, object: &'s Map<String, Value>, reference: &'s Value) -> (ColumnKind, bool) {
        let Some(reference) = reference.as_str() else { return (ColumnKind::Json, true) };
        let is_alone = !has_type(object) && allowed(object).is_none() && !object.contains_key("allOf");
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        match target {
            Some(target) if is_alone && !self.open.contains(&reference) && !reference[1..].is_empty() => {
                self.open.push(reference);
                let found = self.nested(target);
                self.open.pop();
                found
            }
            _ => (ColumnKind::Json, true),
        }
    }

    fn nested(&mut self, schema: &'s Value) -> (ColumnKind, bool) {
        self.fields += 1;
        if self.open.len() >= MAX_DEPTH || self.fields > MAX_FIELDS {
            return (ColumnKind::Json, true);
        }
        self.open.push("");
        let found = self.of(schema);
        self.open.pop();
        found
    }

    fn of_union(&mut self, branches: &'s [Value]) -> (ColumnKind, bool) {
        let mut is_nullable = false;
        let mut kinds = Vec::new();
        for branch in branches {
            if is_null(branch) {
                is_nullable = true;
                continue;
            }
            let (kind, allows_null) = self.nested(branch);
            is_nullable |= allows_null;
            kinds.push(kind);
        }
        match kinds.split_first() {
            Some((first, rest))
                if rest.is_empty() || (is_scalar(first) && rest.iter().all(|kind| kind == first)) =>
            {
                (first.clone(), is_nullable)
            }
            _ => (ColumnKind::Json, is_nullable),
        }
    }

    fn of_type(&mut self, object: &'s Map<String, Value>) -> (ColumnKind, bool) {
        let (name, is_nullable) = match object.get("type") {
            Some(Value::String(name)) => (name.as_str(), false),
            Some(Value::Array(names)) => {
                let is_nullable = names.iter().any(|name| name == "null");
                let mut names = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
                match (names.next(), names.next()) {
                    (Some(name), None) => (name, is_nullable),
                    _ => return (ColumnKind::Json, is_nullable),
                }
            }
            _ => return (ColumnKind::Json, true),
        };
        let kind = match name {
            "string" => ColumnKind::Typed(DataType::Utf8),
            "boolean" => ColumnKind::Typed(DataType::Boolean),
            "number" => ColumnKind::Typed(DataType::Float64),
            "integer" => of_integer(object),
            "array" => self.of_array(object),
            "object" => self.of_object(object),
            _ => ColumnKind::Json,
        };
        (kind, is_nullable || name == "null")
    }

    fn of_array(&mut self, object: &'s Map<String, Value>) -> ColumnKind {
        if object.contains_key("prefixItems") {
            return ColumnKind::Json;
        }
        let Some(items) = object.get("items") else { return ColumnKind::Json };
        let (kind, is_nullable) = self.nested(items);
        ColumnKind::Typed(DataType::List(Arc::new(kind.field("item", is_nullable))))
    }

    fn of_object(&mut self, object: &'s Map<String, Value>) -> ColumnKind {
        let others = object.get("additionalProperties");
        let properties =
            object.get("properties").and_then(Value::as_object).filter(|found| !found.is_empty());
        if object.contains_key("patternProperties") || object.contains_key("unevaluatedProperties") {
            return ColumnKind::Json;
        }
        match (properties, others) {
            (Some(properties), None | Some(Value::Bool(false))) => self.of_properties(object, properties),
            (None, Some(others @ Value::Object(_))) => {
                let (kind, is_nullable) = self.nested(others);
                let key = Field::new("key", DataType::Utf8, false);
                ColumnKind::Typed(DataType::Map(
                    Arc::new(Field::new_struct(
                        "entries",
                        vec![key, kind.field("value", is_nullable)],
                        false,
                    )),
                    false,
                ))
            }
            _ => ColumnKind::Json,
        }
    }

    fn of_properties(
        &mut self,
        object: &'s Map<String, Value>,
        properties: &'s Map<String, Value>,
    ) -> ColumnKind {
        let required = object.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let fields: Vec<Field> = properties
            .iter()
            .map(|(name, schema)| {
                let (kind, allows_null) = self.nested(schema);
                kind.field(name, allows_null || !required.iter().any(|required| required == name))
            })
            .collect();
        ColumnKind::Typed(DataType::Struct(fields.into()))
    }
}

fn has_type(object: &Map<String, Value>) -> bool {
    ["type", "properties", "items"].iter().any(|keyword| object.contains_key(*keyword))
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null") || schema.get("const").is_some_and(Value::is_null)
}

fn is_scalar(kind: &ColumnKind) -> bool {
    matches!(kind, ColumnKind::Typed(data_type) if !data_type.is_nested())
}

/// The values listed by `enum` or `const`.
fn allowed(object: &Map<String, Value>) -> Option<Vec<&Value>> {
    match (object.get("const"), object.get("enum")) {
        (Some(value), _) => Some(vec![value]),
        (None, Some(Value::Array(values))) => Some(values.iter().collect()),
        _ => None,
    }
}

fn of_values(values: &[&Value]) -> (ColumnKind, bool) {
    let is_nullable = values.iter().any(|value| value.is_null());
    let mut others = values.iter().filter(|value| !value.is_null()).peekable();
    let is_any = others.peek().is_some();
    let kind = if is_any && others.clone().all(|value| value.is_string()) {
        ColumnKind::Typed(DataType::Utf8)
    } else if is_any && others.clone().all(|value| value.is_boolean()) {
        ColumnKind::Typed(DataType::Boolean)
    } else if is_any && others.clone().all(|value| value.is_i64()) {
        ColumnKind::Typed(DataType::Int64)
    } else {
        ColumnKind::Json
    };
    (kind, is_nullable)
}

/// Decides by the format that schemas of Rust types have, else by the bounds.
fn of_integer(object: &Map<String, Value>) -> ColumnKind {
    let format = object.get("format").and_then(Value::as_str).unwrap_or_default();
    let bound = |names: [&str; 2]| names.into_iter().find_map(|name| object.get(name));
    let (least, most) = (bound(["minimum", "exclusiveMinimum"]), bound(["maximum", "exclusiveMaximum"]));
    let is_natural = least.is_some_and(|least| least.as_f64().is_some_and(|least| least >= 0.0));
    let is_within = |bound: Option<&Value>, fits: fn(&Value) -> bool| bound.is_none_or(fits);
    match format {
        "int128" | "uint128" => ColumnKind::Json,
        "uint64" | "uint" if is_within(most, Value::is_u64) => ColumnKind::Typed(DataType::UInt64),
        _ if is_within(least, is_about_i64) && is_within(most, is_about_i64) => {
            ColumnKind::Typed(DataType::Int64)
        }
        _ if is_natural && is_within(most, Value::is_u64) => ColumnKind::Typed(DataType::UInt64),
        _ => ColumnKind::Json,
    }
}

/// Bounds may be written as `0.0`.
fn is_about_i64(bound: &Value) -> bool {
    bound.is_i64() || bound.as_f64().is_some_and(|bound| bound.abs() <= 9_007_199_254_740_992.0)
}
