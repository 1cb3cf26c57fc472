//! The part of an answer that can be shown while it streams in.

mod opening;
#[cfg(test)]
mod tests;
mod tolerant;

use std::sync::Arc;

use serde_json::Value;

use self::{
    opening::{Opened, Opening},
    tolerant::Tolerant,
};
use super::{
    ReadingOptions, Shapes,
    scan::{Places, ScanEnd, Scanner, Sight, UnknownMembers, written},
};

/// An answer that is still streaming in: the first value of the reply that may be the answer, shown
/// where its schema allows it. After the first byte that is not strict JSON, it is shown up to
/// where the [tolerant reader](tolerant) has come.
///
/// The finished parts equal the parts of the final reading, unless the reader takes another value
/// of the reply for the answer.
#[derive(Debug)]
pub(crate) struct GrowingAnswer {
    shapes: Arc<Shapes>,
    options: ReadingOptions,
    unknown: UnknownMembers,
    stage: Stage,
    /// How many more bytes may come, plus one.
    bytes_left: usize,
}

#[derive(Debug)]
enum Stage {
    Before(Opening, Places),
    Value(Written),
    /// Nothing will be shown.
    Hidden,
}

/// An answer that has started.
#[derive(Debug)]
struct Written {
    scanner: Scanner,
    /// The whole answer so far, while the tolerant reader may need it.
    text: String,
    tolerant: Option<Box<Tolerant>>,
}

impl GrowingAnswer {
    pub(crate) fn new(shapes: Arc<Shapes>, options: ReadingOptions) -> Self {
        let options = options.at_most_deep(shapes.max_depth());
        let bytes_left = options.max_bytes.saturating_add(1);
        let unknown = UnknownMembers::default();
        Self { shapes, options, unknown, stage: Stage::Hidden, bytes_left }.started()
    }

    /// The same answer, with members that the schema does not name treated as `unknown` says.
    pub(crate) fn with_unknown(self, unknown: UnknownMembers) -> Self {
        Self { unknown, ..self }.started()
    }

    /// The answer before its first byte.
    fn started(mut self) -> Self {
        self.stage = Stage::Before(Opening::default(), self.places());
        self
    }

    /// A growing answer for another schema, before its first byte.
    pub(crate) fn of(&self, shapes: &Arc<Shapes>) -> Self {
        Self::new(Arc::clone(shapes), self.options).with_unknown(self.unknown)
    }

    /// Restarts it before its first byte.
    pub(crate) fn restarted(&self) -> Self {
        self.of(&self.shapes)
    }

    /// A growing answer that already holds `value`, the answer read from a whole reply.
    pub(crate) fn read(&self, value: &Value) -> Self {
        let mut begun = self.begun();
        begun.scanner.push(&written(value));
        begun.scanner.finish();
        Self { stage: Stage::Value(begun), ..self.restarted() }
    }

    /// The places of the whole answer.
    pub(crate) fn places(&self) -> Places {
        Places::new(Arc::clone(&self.shapes), self.options.null_reading()).with_unknown(self.unknown)
    }

    /// The answer at its first byte.
    fn begun(&self) -> Written {
        let scanner = Scanner::new(self.places(), self.options.depth());
        Written { scanner, text: String::new(), tolerant: None }
    }

    /// Reads the next part of the reply.
    pub(crate) fn push(&mut self, delta: &str) {
        self.push_item(delta, usize::MAX);
    }

    /// Like [`push`](Self::push), but stops after the comma that follows an element of a list at
    /// `levels` open brackets, the list's own included. Returns how many bytes were read. Elements
    /// can so be handled one by one and [forgotten](Self::forget_items).
    pub(crate) fn push_item(&mut self, delta: &str, levels: usize) -> usize {
        // A reply that is too long is not read at all, so nothing more is shown.
        if self.bytes_left <= delta.len() {
            self.bytes_left = 0;
            return delta.len();
        }
        let read = self.read_item(delta, levels);
        self.bytes_left -= read;
        read
    }

    fn read_item(&mut self, delta: &str, levels: usize) -> usize {
        match &mut self.stage {
            Stage::Value(written) => return written.push(delta, levels, &self.shapes, &self.options),
            Stage::Before(opening, places) => match opening.push(delta, places) {
                Opened::NotYet => {}
                Opened::Never => self.stage = Stage::Hidden,
                Opened::With(text) => {
                    self.stage = Stage::Value(self.begun());
                    self.read_item(&text, usize::MAX);
                }
            },
            Stage::Hidden => {}
        }
        delta.len()
    }

    /// Forgets the elements before the last comma read, if that comma separates elements of a list
    /// at `levels` open brackets. This frees their memory and invalidates earlier snapshots.
    pub(crate) fn forget_items(&mut self, levels: usize) {
        if let Stage::Value(Written { scanner, tolerant: None, .. }) = &mut self.stage {
            scanner.forget_items(levels);
        }
    }

    /// Marks the end of the reply.
    pub(crate) fn finish(&mut self) {
        if let Stage::Value(written) = &mut self.stage {
            written.scanner.finish();
        }
    }

    /// The part that can be shown; `None` before the answer starts.
    pub(crate) fn sight(&self) -> Option<Sight<'_>> {
        match &self.stage {
            Stage::Value(written) => written.sight(),
            Stage::Before(..) | Stage::Hidden => None,
        }
    }

    /// The same, as an owned snapshot.
    #[cfg(test)]
    fn snapshot(&self) -> Option<super::scan::Snapshot> {
        self.sight().map(Sight::kept)
    }
}

impl Written {
    fn push(&mut self, delta: &str, levels: usize, shapes: &Arc<Shapes>, options: &ReadingOptions) -> usize {
        let read = match self.tolerant {
            None => self.scanner.push_item(delta, levels),
            Some(_) => delta.len(),
        };
        let delta = &delta[..read];
        match self.scanner.end {
            None => self.text.push_str(delta),
            Some(ScanEnd::Complete(_)) => self.text = String::new(),
            Some(ScanEnd::NotStrict(at)) => {
                self.text.push_str(delta);
                self.read_tolerantly(at, shapes, options);
            }
        }
        read
    }

    /// Reads the text whose byte `at` is not strict JSON.
    fn read_tolerantly(&mut self, at: usize, shapes: &Arc<Shapes>, options: &ReadingOptions) {
        if self.tolerant.is_none() && self.text.starts_with(['{', '[']) {
            let scanner = self.scanner.of_another(options.depth());
            let tolerant = Tolerant::new(Arc::clone(shapes), options.depth(), scanner, at);
            self.tolerant = Some(Box::new(tolerant));
        }
        if let Some(tolerant) = &mut self.tolerant {
            tolerant.read(&self.text, &self.scanner);
        }
    }

    fn sight(&self) -> Option<Sight<'_>> {
        let read = self.tolerant.as_ref().and_then(|tolerant| tolerant.sight());
        read.or_else(|| self.scanner.sight())
    }
}
