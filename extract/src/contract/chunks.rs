//! The contract of the answers to chunks of a document, and their merging.

use std::sync::Arc;

use serde_json::Value;

use super::{CompiledContract, Contract};
use crate::{
    document::Span,
    merging::{self, LeafVote, MergedValue},
    schema::{self, SchemaError, ValueOrder},
    vocabulary::path::Path,
};

impl Contract {
    /// The contract of the answer to one chunk: a part of the value, without the rules for the
    /// whole.
    pub(crate) fn of_chunk(&self) -> Result<Self, SchemaError> {
        let CompiledContract { type_judges, type_, example, .. } = &*self.inner;
        let mut relaxed =
            Self::compile(schema::relaxed(self.schema()), Vec::new(), type_judges.clone())?.of_type(*type_);
        // An example of the whole shows more than an example of a part would.
        Arc::make_mut(&mut relaxed.inner).example.clone_from(example);
        Ok(Self { source: self.source.clone(), ..relaxed })
    }

    /// The orders by which merging chooses one of several statements.
    fn orders(&self) -> &[ValueOrder] {
        self.inner.type_judges.as_ref().map_or(&[], |judges| &judges.orders)
    }

    /// Returns the spans of the quotes in the part of `value` at `path`, or in the nearest
    /// enclosing part with quotes.
    pub(crate) fn spans_around(&self, value: &Value, path: &Path) -> Vec<Span> {
        merging::spans_around(self.schema(), value, path)
    }

    /// Returns what most of `samples` have. As a whole it was given by nobody.
    pub(crate) fn majority(&self, samples: &[&Value]) -> Value {
        merging::majority(self.schema(), self.orders(), samples)
    }

    /// Returns the leaves of `value`, each with the samples that agree with it.
    pub(crate) fn votes(&self, value: &Value, samples: &[&Value]) -> Vec<LeafVote> {
        merging::votes(self.schema(), self.orders(), value, samples)
    }

    /// Merges the answers to chunks, each with the number of its chunk, in document order. Their
    /// quotes already have spans.
    pub(crate) fn merge<'v>(&self, answers: impl IntoIterator<Item = (usize, &'v Value)>) -> MergedValue {
        let mut merged = merging::merge(self.schema(), self.orders(), answers);
        if let Some(sensitive) = self.sensitive() {
            let values = sensitive.values_in(&merged.value);
            for conflict in &mut merged.conflicts {
                for statement in std::iter::once(&mut conflict.kept).chain(&mut conflict.others) {
                    sensitive.redact_at(&conflict.path, &mut statement.value, &values);
                }
                conflict.path = sensitive.redacted_path(&conflict.path, &values);
            }
            for mentions in &mut merged.mentions {
                mentions.path = sensitive.redacted_path(&mentions.path, &values);
            }
        }
        merged
    }
}
