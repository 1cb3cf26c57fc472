//! What can be shown of an answer while it is written.

mod opening;
mod places;
#[cfg(test)]
mod tests;
mod tolerant;

use std::sync::Arc;

use serde_json::Value;

use self::{
    opening::{Opened, Opening},
    places::Places,
    tolerant::Tolerant,
};
use super::{
    ReadingOptions, Shapes,
    scan::{ScanEnd, Scanner, Snapshot},
};

/// An answer that is being written: the first value of the reply that may be the answer, as far as
/// its schema lets it be shown. Behind the first byte that is not strict JSON, it is shown as far as
/// the tolerant reader has [come](tolerant).
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
    Value(Written),
    /// Nothing will be shown.
    Hidden,
}

/// An answer that has begun.
#[derive(Debug)]
struct Written {
    scanner: Scanner<Places>,
    /// All of it, as long as the tolerant reader may need it.
    text: String,
    tolerant: Option<Box<Tolerant>>,
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
        let written = Written { scanner, text: String::new(), tolerant: None };
        Self { stage: Stage::Value(written), ..self.restarted() }
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
            Stage::Value(written) => written.push(delta, &self.shapes, self.options),
            Stage::Before(opening, places) => match opening.push(delta, places) {
                Opened::NotYet => {}
                Opened::Never => self.stage = Stage::Hidden,
                Opened::With(text) => {
                    let scanner = self.scanner(self.places());
                    let mut written = Written { scanner, text: String::new(), tolerant: None };
                    written.push(&text, &self.shapes, self.options);
                    self.stage = Stage::Value(written);
                }
            },
            Stage::Hidden => {}
        }
    }

    /// The reply has ended.
    pub(crate) fn finish(&mut self) {
        if let Stage::Value(written) = &mut self.stage {
            written.scanner.finish();
        }
    }

    /// What can be shown of it; `None` before it begins.
    pub(crate) fn snapshot(&self) -> Option<Snapshot> {
        match &self.stage {
            Stage::Value(written) => written.snapshot(),
            Stage::Before(..) | Stage::Hidden => None,
        }
    }
}

impl Written {
    fn push(&mut self, delta: &str, shapes: &Arc<Shapes>, options: ReadingOptions) {
        if self.tolerant.is_none() {
            self.scanner.push(delta);
        }
        match self.scanner.end() {
            None => self.text.push_str(delta),
            Some(ScanEnd::Complete(_)) => self.text = String::new(),
            Some(ScanEnd::NotStrict(at)) => {
                self.text.push_str(delta);
                if self.tolerant.is_none() && self.text.starts_with(['{', '[']) {
                    let places = Places::new(Arc::clone(shapes), options.reads_null_strings());
                    let scanner = Scanner::new(places, options.depth());
                    let depth = options.depth();
                    self.tolerant = Some(Box::new(Tolerant::new(Arc::clone(shapes), depth, scanner, at)));
                }
                if let Some(tolerant) = &mut self.tolerant {
                    tolerant.read(&self.text, &self.scanner);
                }
            }
        }
    }

    fn snapshot(&self) -> Option<Snapshot> {
        let read = self.tolerant.as_ref().and_then(|tolerant| tolerant.snapshot());
        read.or_else(|| self.scanner.snapshot())
    }
}
