//! Where the schema of a field comes from.

use schemars::{Schema, SchemaGenerator};

use super::Field;
use crate::Extractable;

/// What the rest of the crate needs to know of a field's type, without the type: so the functions that put
/// a schema together are compiled once and not once per type.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// Whether serde fills in a value of this type when its key is absent.
    pub(super) optional: bool,
    /// The schema, behind a reference where the type has a definition.
    pub(super) subschema: fn(&mut SchemaGenerator) -> Schema,
    /// The schema itself, for what is merged into another object.
    pub(super) flat: fn(&mut SchemaGenerator) -> Schema,
}

impl Source {
    /// From the type itself.
    #[must_use]
    pub const fn of<T: Extractable>() -> Self {
        Self {
            optional: T::__EXTRACT_OPTIONAL,
            subschema: SchemaGenerator::subschema_for::<Field<T>>,
            flat: T::__extract_flat_schema,
        }
    }

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
