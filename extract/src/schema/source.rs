//! The source of a field's schema.

use schemars::{Schema, SchemaGenerator};

/// What the rest of the crate needs to know of a field's type, without the type. So the functions
/// that build a schema are compiled once, and not once per type.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// Whether serde fills in a value of this type if its key is absent.
    pub(crate) optional: bool,
    /// The schema; a reference if the type has a definition.
    pub(crate) subschema: fn(&mut SchemaGenerator) -> Schema,
    /// The schema itself, for merging into another object.
    pub(crate) flat: fn(&mut SchemaGenerator) -> Schema,
}

impl Source {
    /// From the function of `schema_with`. serde never fills in a value that a custom function
    /// deserializes.
    #[must_use]
    pub const fn with(schema: fn(&mut SchemaGenerator) -> Schema) -> Self {
        Self { optional: false, subschema: schema, flat: schema }
    }

    /// serde does not require it.
    #[must_use]
    pub const fn or_absent(mut self) -> Self {
        self.optional = true;
        self
    }
}
