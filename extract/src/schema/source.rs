//! The source of a field's schema.

use schemars::{Schema, SchemaGenerator};

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
