//! The alternatives of a union: what they have in common, and what distinguishes them.

mod tags;
mod words;

use serde_json::{Map, Value};

pub(super) use self::{
    tags::{TagSource, UnionTags, given, with_one_of},
    words::{OBJECT, in_words},
};
use crate::schema::SchemaView;

/// The keyword of a union.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnionKeyword {
    AnyOf,
    /// A value may satisfy only one alternative.
    OneOf,
}

/// `anyOf` or `oneOf`.
pub(super) struct UnionAlternatives<'a> {
    /// The alternatives.
    pub(super) schemas: &'a [Value],
    /// The same with references followed, where those lead somewhere.
    pub(super) targets: Vec<&'a Value>,
    pub(super) keyword: UnionKeyword,
    pub(super) tags: UnionTags<'a>,
}

impl<'a> UnionAlternatives<'a> {
    /// From the value of the keyword.
    pub(super) fn new(alternatives: &'a Value, keyword: UnionKeyword, view: &SchemaView<'a>) -> Self {
        let schemas = alternatives.as_array().map_or(&[][..], Vec::as_slice);
        let targets: Vec<_> = schemas.iter().map(|schema| view.followed(schema)).collect();
        let tags = UnionTags::of(&targets, keyword, view);
        Self { schemas, targets, keyword, tags }
    }

    /// Returns the alternatives except null. Null means absence, so a value that is not null was
    /// meant for another alternative.
    pub(super) fn likely(&self) -> Vec<usize> {
        let all = 0..self.targets.len();
        let others: Vec<_> = all.clone().filter(|index| !is_null(self.targets[*index])).collect();
        if others.is_empty() { all.collect() } else { others }
    }
}

pub(super) fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null") || schema.get("const").is_some_and(Value::is_null)
}

pub(super) fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}
