//! What can be shown of an answer while it is written.

mod opening;
mod places;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::Value;

use self::{
    opening::{Opened, Opening},
    places::Places,
};
use super::{
    ReadingOptions, Shapes,
    scan::{Scanner, Snapshot},
};

/// An answer that is being written: the first value of the reply that may be the answer, as far as
/// it is strict JSON and as its schema lets it be shown.
///
/// What is shown as done is what the reader makes of it, unless the reader takes another value of
/// the reply for the answer.
#[derive(Debug)]
pub(crate) struct GrowingAnswer {
    shapes: Arc<Shapes>,
    options: ReadingOptions,
    stage: Stage,
    /// Bytes that may still come, and one more.
    bytes_left: usize,
}

#[derive(Debug)]
enum Stage {
    Before(Opening, Places),
    Value(Scanner<Places>),
    /// Nothing will be shown.
    Hidden,
}

impl GrowingAnswer {
    pub(crate) fn new(shapes: Arc<Shapes>, options: ReadingOptions) -> Self {
        let options = options.at_most_deep(shapes.max_depth());
        let bytes_left = options.max_bytes.saturating_add(1);
        let mut answer = Self { shapes, options, stage: Stage::Hidden, bytes_left };
        answer.stage = Stage::Before(Opening::default(), answer.places());
        answer
    }

    /// The same before its first byte.
    pub(crate) fn restarted(&self) -> Self {
        Self::new(Arc::clone(&self.shapes), self.options)
    }

    /// The whole answer, which was read from a reply.
    pub(crate) fn read(&self, value: &Value) -> Self {
        let mut scanner = self.scanner(self.places());
        scanner.push(&value.to_string());
        scanner.finish();
        Self { stage: Stage::Value(scanner), ..self.restarted() }
    }

    fn places(&self) -> Places {
        Places::new(Arc::clone(&self.shapes), self.options.reads_null_strings())
    }

    fn scanner(&self, places: Places) -> Scanner<Places> {
        Scanner::new(places, self.options.depth())
    }

    /// Reads the next part of the reply.
    pub(crate) fn push(&mut self, delta: &str) {
        // A reply that is too long is not read at all, so no more of it is shown.
        self.bytes_left = self.bytes_left.saturating_sub(delta.len());
        match &mut self.stage {
            _ if self.bytes_left == 0 => {}
            Stage::Value(scanner) => scanner.push(delta),
            Stage::Before(opening, places) => match opening.push(delta, places) {
                Opened::NotYet => {}
                Opened::Never => self.stage = Stage::Hidden,
                Opened::With(text) => {
                    let mut scanner = self.scanner(self.places());
                    scanner.push(&text);
                    self.stage = Stage::Value(scanner);
                }
            },
            Stage::Hidden => {}
        }
    }

    /// The reply has ended.
    pub(crate) fn finish(&mut self) {
        if let Stage::Value(scanner) = &mut self.stage {
            scanner.finish();
        }
    }

    /// What can be shown of it; `None` before it begins.
    pub(crate) fn snapshot(&self) -> Option<Snapshot> {
        match &self.stage {
            Stage::Value(scanner) => scanner.snapshot(),
            Stage::Before(..) | Stage::Hidden => None,
        }
    }
}
