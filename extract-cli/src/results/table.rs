//! Results as a table: a row for each document.

use std::collections::HashSet;

use extract::Path;
use extract_bulk::{ConfidenceColumns, Journal, JournalError, Outcome};
use serde::Serialize;
use serde_json::{Value, json};

use super::{node::ColumnNode, schema_columns};

/// Maximum number of columns.
pub(super) const MAX_COLUMNS: usize = 10_000;

/// The columns that every table starts with.
pub(crate) const FIRST: [&str; 3] = ["key", "status", "error"];

/// A column, and its cell for an outcome.
type OptionalColumn = (&'static str, fn(&Outcome) -> String);

/// The columns after them, each if any outcome has a cell for it that is not empty.
const OPTIONAL: [OptionalColumn; 3] = [
    ("reviewed_by", |outcome| outcome.reviewed_by.clone().unwrap_or_default()),
    ("conflicts", |outcome| list(&outcome.metrics.conflicts)),
    ("gaps", |outcome| list(&outcome.metrics.gaps)),
];

/// A list in a cell.
fn list<T: Serialize>(items: &[T]) -> String {
    if items.is_empty() { String::new() } else { json!(items).to_string() }
}

/// The columns of results beside the usual ones.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ColumnArgs {
    /// Add the confidence of each leaf to Parquet, CSV and Markdown, as the column `confidence.NAME`; JSON Lines have it
    /// in any case
    #[arg(long)]
    confidence_columns: bool,
}

impl ColumnArgs {
    /// Whether columns for confidences are wanted.
    pub(crate) fn have_confidence(self) -> bool {
        self.confidence_columns
    }
}

/// The columns of a table.
pub(super) struct ResultColumns {
    value: ColumnNode,
    meta: ColumnNode,
    /// Which of the [`OPTIONAL`] columns there are.
    has_optional: [bool; OPTIONAL.len()],
    /// Without columns unless they are wanted.
    confidence: ConfidenceColumns,
}

impl ResultColumns {
    /// The columns of `schema`, and of everything in the journal for which it has none.
    /// `None` if they are too many.
    pub(super) fn of(
        journal: &Journal,
        schema: Option<&Value>,
        extra: ColumnArgs,
    ) -> Result<Option<Self>, JournalError> {
        let value = schema.map_or_else(ColumnNode::default, schema_columns::of);
        let (meta, confidence) = (ColumnNode::default(), ConfidenceColumns::default());
        let has_optional = [false; OPTIONAL.len()];
        let mut columns = Self { value, meta, has_optional, confidence };
        // Which columns there are is only known after all values have been seen.
        for outcome in journal.outcomes() {
            let outcome = outcome?;
            if let Ok(value) = &outcome.result {
                columns.value.add_value(value);
            }
            columns.meta.add_value(&outcome.meta);
            for (has, (_, cell)) in columns.has_optional.iter_mut().zip(OPTIONAL) {
                *has = *has || !cell(&outcome).is_empty();
            }
            if columns.count() > MAX_COLUMNS {
                return Ok(None);
            }
        }
        if extra.have_confidence() {
            let mut paths = Vec::new();
            columns.value.paths(&Path::root(), &mut paths);
            columns.confidence = ConfidenceColumns::new(paths);
        }
        Ok(Some(columns))
    }

    fn count(&self) -> usize {
        self.value.columns(MAX_COLUMNS + 1) + self.meta.columns(MAX_COLUMNS + 1)
    }

    /// The [`OPTIONAL`] columns that there are.
    fn optional(&self) -> impl Iterator<Item = OptionalColumn> {
        OPTIONAL.into_iter().zip(self.has_optional).filter_map(|(column, has)| has.then_some(column))
    }

    /// The names of all columns; no two are the same.
    pub(super) fn names(&self) -> Vec<String> {
        let mut meta = Vec::new();
        if !self.meta.is_unknown() {
            self.meta.names("meta", "meta", &mut meta);
        }
        let mut values = Vec::new();
        self.value.names("value", "", &mut values);
        let optional = self.optional().map(|(name, _)| name);
        let first: Vec<String> = FIRST.into_iter().chain(optional).map(str::to_owned).collect();
        let mut taken: HashSet<String> = first.iter().chain(&meta).cloned().collect();
        let mut own = |mut name: String, prefix| {
            while !taken.insert(name.clone()) {
                name = format!("{prefix}.{name}");
            }
            name
        };
        let mut values: Vec<_> = values.into_iter().map(|name| own(name, "value")).collect();
        values.extend(self.confidence.names().into_iter().map(|name| own(name, "confidence")));
        first.into_iter().chain(values).chain(meta).collect()
    }

    /// The cells of an outcome, in the order of the [names](Self::names).
    pub(super) fn row(&self, outcome: &Outcome) -> Vec<String> {
        let status = match serde_json::to_value(outcome.status) {
            Ok(Value::String(status)) => status,
            _ => String::new(),
        };
        let error = outcome.result.as_ref().err().map(|failure| failure.message.clone());
        let mut cells = vec![outcome.key.clone(), status, error.unwrap_or_default()];
        cells.extend(self.optional().map(|(_, cell)| cell(outcome)));
        self.value.cells(outcome.result.as_ref().ok(), &mut cells);
        let confidence = self.confidence.row(&outcome.metrics.confidences);
        let shown =
            |confidence: Option<f64>| confidence.map_or_else(String::new, |number| number.to_string());
        cells.extend(confidence.into_iter().map(shown));
        if !self.meta.is_unknown() {
            self.meta.cells(Some(&outcome.meta), &mut cells);
        }
        cells
    }
}
