//! The states of rows, by which a reader can filter them.

use std::{collections::HashMap, ops::Range};

use extract::{Path, metrics::Confidences, reading::Change};

use super::rows::{RowStanding, ShownValue, TableRow, TableRows};

/// A state of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowState {
    /// It is `null` or empty.
    Empty,
    /// The document has several statements for it.
    Conflict,
    /// Reading changed it.
    Changed,
    /// It has no location in the text.
    Unplaced,
}

impl RowState {
    pub(super) const ALL: [Self; 4] = [Self::Empty, Self::Conflict, Self::Changed, Self::Unplaced];

    /// The class in `view.css` of such rows, and of the groups and parts of tables that have any.
    pub(super) fn class(self) -> char {
        match self {
            Self::Empty => 'z',
            Self::Conflict => 'k',
            Self::Changed => 'd',
            Self::Unplaced => 'o',
        }
    }

    /// The name of the filter.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Empty => "Empty",
            Self::Conflict => "In conflict",
            Self::Changed => "Changed",
            Self::Unplaced => "No place",
        }
    }

    pub(super) fn is_of(self, row: &TableRow) -> bool {
        match self {
            Self::Empty => row.standing == RowStanding::Nothing,
            Self::Conflict => row.conflict.is_some(),
            Self::Changed => row.change.is_some(),
            Self::Unplaced => matches!(row.standing, RowStanding::Unplaced | RowStanding::Elsewhere),
        }
    }
}

/// The class of groups and parts of tables that have any row with a value.
const FILLED: char = 'y';

/// The classes of the states of a row, each with a leading space.
pub(super) fn row_classes(row: &TableRow) -> String {
    RowState::ALL
        .into_iter()
        .filter(|state| state.is_of(row))
        .flat_map(|state| [' ', state.class()])
        .collect()
}

/// The classes of a group or a part of a table with these rows, each with a leading space.
pub(super) fn group_classes(rows: &[TableRow]) -> String {
    let has = |state: &RowState| rows.iter().any(|row| state.is_of(row));
    let is_filled = rows.iter().any(|row| !RowState::Empty.is_of(row));
    let states = RowState::ALL.into_iter().filter(has).map(RowState::class);
    is_filled.then_some(FILLED).into_iter().chain(states).flat_map(|class| [' ', class]).collect()
}

impl TableRows {
    /// Notes which of the `values` are in conflict, with the row of the statement that was kept, and
    /// which were changed, with the number of the change.
    pub(super) fn note_states<'v>(
        &mut self,
        values: Range<usize>,
        conflicts: impl Iterator<Item = (&'v Path, usize)>,
        changes: &'v [Change],
    ) {
        let conflicts = Paths::of(conflicts);
        // A change in the answer to a chunk may be of an element that is elsewhere in the value.
        let changes =
            changes.iter().enumerate().filter(|(_, change)| change.chunk.is_none() && !change.path.is_root());
        let changes = Paths::of(changes.map(|(number, change)| (&change.path, number)));
        for row in &mut self.all[values] {
            row.conflict = conflicts.at(row);
            row.change = changes.at(row);
        }
    }
}

impl TableRows {
    /// Notes how sure the `values` are. A part of a value with a quote is as sure as the whole.
    pub(super) fn note_confidences(&mut self, values: Range<usize>, confidences: &Confidences) {
        let known = confidences.leaves.iter().filter_map(|leaf| Some((&leaf.path, leaf.confidence?)));
        let known: HashMap<&Path, f64> = known.collect();
        if known.is_empty() {
            return;
        }
        for row in &mut self.all[values] {
            let mut around = Some(row.path.clone());
            while let (Some(path), None) = (around.take(), row.confidence) {
                row.confidence = known.get(&path).copied();
                around = path.parent();
            }
        }
    }

    /// The numbers of the `values` whose confidence is known, the least sure first.
    pub(super) fn by_confidence(&self, values: Range<usize>) -> Vec<usize> {
        let mut rows: Vec<(usize, f64)> =
            values.filter_map(|number| Some((number, self.all[number].confidence?))).collect();
        rows.sort_by(|one, other| one.1.total_cmp(&other.1));
        rows.into_iter().map(|(number, _)| number).collect()
    }
}

/// Paths with a number each.
struct Paths {
    at: HashMap<Path, usize>,
    /// The paths around them.
    around: HashMap<Path, usize>,
}

impl Paths {
    fn of<'p>(all: impl Iterator<Item = (&'p Path, usize)>) -> Self {
        let (mut at, mut around) = (HashMap::new(), HashMap::new());
        for (path, number) in all {
            at.entry(path.clone()).or_insert(number);
            let mut parent = path.parent();
            while let Some(path) = parent.filter(|path| !path.is_root() && !around.contains_key(path)) {
                parent = path.parent();
                around.insert(path, number);
            }
        }
        Self { at, around }
    }

    /// Returns the number of the path that is the row's own, around it, or in its value.
    fn at(&self, row: &TableRow) -> Option<usize> {
        if self.at.is_empty() {
            return None;
        }
        let mut around = Some(row.path.clone());
        while let Some(path) = around {
            if let Some(number) = self.at.get(&path) {
                return Some(*number);
            }
            around = path.parent();
        }
        // The parts of a value with a quote have no rows of their own.
        self.around.get(&row.path).copied().filter(|_| row.value != ShownValue::Below)
    }
}
