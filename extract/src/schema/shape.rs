//! The schema of a struct, and of the content of a variant.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::{
    additions::{part, push},
    flatten,
    keyword::{FieldKeyword, apply},
    property::{FieldProperty, deprecated},
};

/// How the fields of a struct or a variant are written.
#[derive(Debug, Clone, Copy)]
pub enum FieldsShape<'a> {
    /// No fields: `null`.
    Unit,
    /// One field, written as itself.
    Newtype(FieldProperty<'a>),
    /// Fields by position: an array.
    Tuple(&'a [FieldProperty<'a>]),
    /// Fields by name: an object. `true` if unknown names are refused.
    Named(&'a [FieldProperty<'a>], bool),
}

/// Returns the schema of a struct.
pub fn struct_(
    generator: &mut SchemaGenerator,
    shape: FieldsShape<'_>,
    keywords: &[FieldKeyword<'_>],
) -> Schema {
    let mut schema = shape.schema(generator);
    apply(&mut schema, keywords);
    schema
}

impl FieldsShape<'_> {
    pub(super) fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        match self {
            Self::Unit => json_schema!({ "type": "null" }),
            Self::Newtype(property) => property.schema(generator),
            Self::Tuple(properties) => tuple(generator, properties),
            Self::Named(properties, denies_unknown) => object(generator, properties, *denies_unknown),
        }
    }

    pub(super) fn is_unit(&self) -> bool {
        matches!(self, Self::Unit)
    }
}

/// serde allows elements with a default to be absent at the end.
fn tuple(generator: &mut SchemaGenerator, properties: &[FieldProperty<'_>]) -> Schema {
    let items: Vec<Value> = properties.iter().map(|p| p.schema(generator).to_value()).collect();
    let most = items.len();
    let fewest = properties.iter().take_while(|p| !p.optional || p.source.optional).count();
    let mut schema = json_schema!({ "type": "array" });
    if !items.is_empty() {
        schema.insert("prefixItems".to_owned(), Value::Array(items));
        schema.insert("minItems".to_owned(), Value::from(fewest));
    }
    schema.insert("maxItems".to_owned(), Value::from(most));
    schema
}

fn object(generator: &mut SchemaGenerator, properties: &[FieldProperty<'_>], denies_unknown: bool) -> Schema {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), Value::from("object"));
    let own: Vec<&str> = properties
        .iter()
        .filter(|property| !property.is_flat)
        .flat_map(|property| std::iter::once(property.name).chain(property.aliases.iter().copied()))
        .collect();
    if properties.is_empty() {
        // An object without keys. Without this it would be a map.
        schema.insert("properties".to_owned(), Value::Object(Map::new()));
    }
    for property in properties {
        if property.is_flat {
            let flat = property.flat_schema(generator);
            let optional = property.source.optional;
            flatten::into_object(&mut schema, property.name, flat, optional, &own, generator);
        } else {
            insert(&mut schema, property, &property.schema(generator));
        }
    }
    if denies_unknown {
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    Schema::from(schema)
}

fn insert(object: &mut Map<String, Value>, property: &FieldProperty<'_>, schema: &Schema) {
    let properties = part(object, "properties", || Value::Object(Map::new()));
    if let Value::Object(properties) = properties {
        properties.insert(property.name.to_owned(), schema.as_value().clone());
        for alias in property.aliases {
            properties.insert((*alias).to_owned(), deprecated(schema.clone()));
        }
    }
    if property.aliases.is_empty() {
        if !property.optional {
            push(object, "required", Value::from(property.name));
        }
    } else {
        name_once(object, property);
    }
}

/// serde accepts a field under any of its names, but only once.
fn name_once(object: &mut Map<String, Value>, property: &FieldProperty<'_>) {
    let names = std::iter::once(&property.name).chain(property.aliases);
    let mut choices: Vec<Value> = names.map(|name| json!({ "required": [name] })).collect();
    if property.optional {
        choices.push(json!({ "not": { "anyOf": choices.clone() } }));
    }
    push(object, "allOf", json!({ "oneOf": choices }));
}
