//! The schema of a struct and of the content of a variant: its fields, each with the source of its
//! schema.

use std::cell::Cell;

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::{
    flat_fields::FlatFields,
    flatten::{self, part, push},
    keyword::{FieldKeyword, apply},
    marks::{MERGE, TypeOrders, ValueOrder},
    mistakes::mark_as_looking,
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
    let flat: Vec<_> = properties
        .iter()
        .filter(|property| property.is_flat)
        .map(|property| (property.name, property.flat_schema(generator), property.source.optional))
        .collect();
    let flat = FlatFields::of(flat, &own, generator);
    if !flat.all.is_empty() {
        mark_as_looking(&mut schema);
    }
    let mut index = 0;
    for property in properties {
        if property.is_flat {
            flatten::into_object(&mut schema, &flat, index, generator);
            index += 1;
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

/// A field, as the derive describes it.
#[derive(Debug, Clone, Copy)]
pub struct FieldProperty<'a> {
    pub(super) name: &'a str,
    pub(super) source: SchemaSource,
    pub(super) aliases: &'a [&'a str],
    pub(super) keywords: &'a [FieldKeyword<'a>],
    order: Option<ValueOrder>,
    pub(super) optional: bool,
    pub(super) is_flat: bool,
}

impl<'a> FieldProperty<'a> {
    /// Creates a field with this `name`, which tuples ignore.
    #[must_use]
    pub const fn new(name: &'a str, source: SchemaSource) -> Self {
        let optional = source.optional;
        Self { name, source, aliases: &[], keywords: &[], order: None, optional, is_flat: false }
    }

    /// Other names that serde accepts for it.
    #[must_use]
    pub const fn aliases(mut self, aliases: &'a [&'a str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Constraints and descriptions of the field, in addition to its type's.
    #[must_use]
    pub const fn keywords(mut self, keywords: &'a [FieldKeyword<'a>]) -> Self {
        self.keywords = keywords;
        self
    }

    /// If a field has several values, the greatest is kept.
    #[must_use]
    pub const fn greatest(mut self, order: ValueOrder) -> Self {
        self.order = Some(order);
        self
    }

    /// Marks a field for which serde has a default.
    #[must_use]
    pub const fn defaulted(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Marks a field whose keys are flattened into the object around it.
    #[must_use]
    pub const fn flat(mut self) -> Self {
        self.is_flat = true;
        self
    }

    pub(super) fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let mut schema = (self.source.subschema)(generator);
        apply(&mut schema, self.keywords);
        if let Some(number) = self.order.and_then(|order| TypeOrders::number(generator, order)) {
            schema.insert(MERGE.to_owned(), number.into());
        }
        schema
    }

    /// The schema whose keys are merged into the object around; `None` if it has no end.
    pub(super) fn flat_schema(&self, generator: &mut SchemaGenerator) -> Option<Schema> {
        let _level = FlatLevel::enter()?;
        let mut schema = (self.source.flat)(generator);
        apply(&mut schema, self.keywords);
        Some(schema)
    }
}

/// Most flattened types inside of each other.
const MAX_FLAT: usize = 32;

thread_local! {
    /// How many flattened types are being merged, and whether they were too many.
    static FLAT: Cell<(usize, bool)> = const { Cell::new((0, false)) };
}

/// One flattened type inside of others. Once there were too many, no more are entered, because each may
/// lead back in several ways.
struct FlatLevel;

impl FlatLevel {
    fn enter() -> Option<Self> {
        let (depth, is_endless) = FLAT.get();
        if depth == MAX_FLAT || is_endless {
            FLAT.set((depth, true));
            return None;
        }
        FLAT.set((depth + 1, false));
        Some(Self)
    }
}

impl Drop for FlatLevel {
    fn drop(&mut self) {
        let (depth, is_endless) = FLAT.get();
        FLAT.set((depth - 1, is_endless && depth > 1));
    }
}

/// Marks an accepted name that should not be written, in the standard way.
pub(super) fn deprecated(mut schema: Schema) -> Value {
    schema.insert("deprecated".to_owned(), Value::Bool(true));
    schema.to_value()
}

/// Everything the rest of the crate needs to know about a field's type, without the type itself.
/// Functions that build a schema are thus compiled once, not once per type.
#[derive(Debug, Clone, Copy)]
pub struct SchemaSource {
    /// Whether serde fills in a value of this type if its key is absent.
    pub(crate) optional: bool,
    /// The schema; a reference if the type has a definition.
    pub(crate) subschema: fn(&mut SchemaGenerator) -> Schema,
    /// The schema itself, for merging into another object.
    pub(crate) flat: fn(&mut SchemaGenerator) -> Schema,
}

impl SchemaSource {
    /// A source from the function of `schema_with`. serde does not fill in a missing value for a
    /// field with a custom deserializer.
    #[must_use]
    pub const fn with(schema: fn(&mut SchemaGenerator) -> Schema) -> Self {
        Self { optional: false, subschema: schema, flat: schema }
    }

    /// Marks it as optional, because serde does not require it.
    #[must_use]
    pub const fn or_absent(mut self) -> Self {
        self.optional = true;
        self
    }
}
