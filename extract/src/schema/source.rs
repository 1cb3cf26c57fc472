//! Where the schema of a field comes from.

use schemars::{Schema, SchemaGenerator};

/// What the rest of the crate needs to know of a field's type, without the type: so the functions that put
/// a schema together are compiled once and not once per type.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// Whether serde fills in a value of this type when its key is absent.
    pub(crate) optional: bool,
    /// The schema, behind a reference where the type has a definition.
    pub(crate) subschema: fn(&mut SchemaGenerator) -> Schema,
    /// The schema itself, for what is merged into another object.
    pub(crate) flat: fn(&mut SchemaGenerator) -> Schema,
}

impl Source {
    /// From the function in `schema_with`. serde never fills in what goes through a function of its own.
    #[must_use]
    pub const fn with(schema: fn(&mut SchemaGenerator) -> Schema) -> Self {
        Self { optional: false, subschema: schema, flat: schema }
    }

    /// serde does not ask for it.
    #[must_use]
    pub const fn or_absent(mut self) -> Self {
        self.optional = true;
        self
    }
}
