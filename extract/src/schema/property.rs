//! One field of a struct, a tuple or a variant.

use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use super::{
    SchemaSource,
    keyword::{self, FieldKeyword},
    marks::MERGE,
    orders::{TypeOrders, ValueOrder},
};

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
        keyword::apply(&mut schema, self.keywords);
        if let Some(number) = self.order.and_then(|order| TypeOrders::number(generator, order)) {
            schema.insert(MERGE.to_owned(), number.into());
        }
        schema
    }

    pub(super) fn flat_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let mut schema = (self.source.flat)(generator);
        keyword::apply(&mut schema, self.keywords);
        schema
    }
}

/// Marks an accepted name that should not be written, in the standard way.
pub(super) fn deprecated(mut schema: Schema) -> Value {
    schema.insert("deprecated".to_owned(), Value::Bool(true));
    schema.to_value()
}
