//! The value that the calls of one reply submit together.
//!
//! For a list, several calls submit its parts in order. For anything else, several calls have to
//! submit the same value: nothing says which of different ones is the answer.

use std::collections::HashSet;

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::{
    contract::Contract,
    reading::{self, Reading, ReadingOptions, ReplyEnd},
    schema::{PartialSchema, SchemaView},
    vocabulary::{
        change::{Change, ChangeKind},
        path::{Path, Segment},
        text::{counted, quoted},
        violation::{Code, Violation},
    },
};

/// Maximum changes that are listed of all calls together.
const MAX_CHANGES: usize = 1_000;

/// Keywords of a list whose elements differ by position. Calls cannot submit parts of it.
const OF_TUPLES: [&str; 1] = ["prefixItems"];

/// The value submitted by the calls of one reply.
#[derive(Debug, Default)]
pub(crate) struct ToolSubmission {
    /// The value, as text.
    pub(crate) text: String,
    /// The changes that made one value of several calls.
    pub(crate) changes: Vec<Change>,
    /// Why the value may not be used as it is.
    pub(crate) violations: Vec<Violation>,
    /// How many of the calls, from the first on, `text` or a violation accounts for.
    pub(crate) judged: usize,
}

impl ToolSubmission {
    /// The value in the `texts` of one or more calls of the tool `name`. `options` say how the reply
    /// ended.
    pub(super) fn of(
        mut texts: Vec<String>,
        name: &str,
        contract: &Contract,
        options: &ReadingOptions,
    ) -> Self {
        match texts.len() {
            0 | 1 => Self::one(texts.pop().unwrap_or_default()),
            _ => Self::several(texts, name, contract, options),
        }
    }

    /// The same submission, whose calls came with `text`. It is read like a text before the value, and
    /// may not take it back either, as a text after a value could.
    pub(crate) fn beside(mut self, text: &str, contract: &Contract, options: &ReadingOptions) -> Self {
        let is_cut = options.reply_end == ReplyEnd::Cut;
        if text.trim().is_empty() || !self.violations.is_empty() || is_cut {
            return self;
        }
        let is_changed = || {
            let options = ReadingOptions { reply_end: ReplyEnd::Whole, ..*options };
            let alone = contract.read_with(&self.text, &options);
            let beside = contract.read_with(&format!("{text}\n\n{}", self.text), &options);
            beside.value != alone.value || beside.violations != alone.violations
        };
        let said = reading::without_reasoning(text);
        let is_part = || self.text.contains('[') && reading::leaves_out(said);
        if reading::disowns_value(said) || reading::takes_call_back(said) || is_part() || is_changed() {
            let message = "the text beside the call gives another answer, or says that this one is wrong";
            let violation = Violation::new(Path::root(), Code::LeftOver, message);
            let violation = violation.expected("all of the answer in the call, and no text that changes it");
            self.violations.push(violation.actual(quoted(text)));
        }
        self
    }

    fn one(text: String) -> Self {
        Self { text, judged: 1, ..Self::default() }
    }

    fn several(mut texts: Vec<String>, name: &str, contract: &Contract, options: &ReadingOptions) -> Self {
        let last = texts.len() - 1;
        // Only the last call can be cut. An example is not an answer, but a part of an answer may
        // equal it.
        let contract = &contract.without_example();
        let readings = texts.iter().enumerate().map(|(index, text)| {
            let reply_end = if index < last || is_closed(text) { ReplyEnd::Whole } else { options.reply_end };
            contract.read_with(text, &ReadingOptions { reply_end, ..*options })
        });
        let readings: Vec<Reading> = readings.collect();
        if is_list(contract) {
            return SubmittedElements::of(readings, options.reply_end).joined(name);
        }
        let is_same = readings.iter().all(|reading| {
            reading.value.is_some()
                && reading.value == readings[0].value
                && !reading.completeness.is_truncated()
        });
        let text = texts.swap_remove(0);
        if is_same {
            return Self::one(text);
        }
        let violation = several_values(&format!("`{name}` was called with several values"), readings.len());
        Self { text, changes: Vec::new(), violations: vec![violation], judged: last + 1 }
    }
}

fn several_values(message: &str, calls: usize) -> Violation {
    let message = format!("{message}, and nothing says which of them is the answer");
    Violation::new(Path::root(), Code::NotJson, message)
        .expected("one call with the whole value")
        .actual(counted(calls, "call"))
}

/// Returns whether `text` is strict JSON that its own brackets or quotes close.
fn is_closed(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[', '"']) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Returns whether every value of `contract` is a list whose elements are alike.
fn is_list(contract: &Contract) -> bool {
    let schema = contract.schema();
    let root = SchemaView::of(schema).meant(schema);
    root.get("type").is_some_and(|name| name == "array")
        && !PartialSchema::of(schema).has_any(root, &OF_TUPLES)
}

/// The elements of a list, from several calls.
#[derive(Default)]
struct SubmittedElements {
    elements: Vec<Value>,
    changes: Vec<Change>,
    violations: Vec<Violation>,
    calls: usize,
    /// Whether the end of the list is missing.
    is_cut: bool,
    /// Whether another element had begun, which is not kept.
    has_begun: bool,
}

impl SubmittedElements {
    /// The elements in the `readings` of calls, of a reply that ended with `end`.
    fn of(readings: Vec<Reading>, end: ReplyEnd) -> Self {
        let calls = readings.len();
        let mut parts = Self { calls, is_cut: end == ReplyEnd::Cut, ..Self::default() };
        let mut seen = HashSet::new();
        for (index, reading) in readings.into_iter().enumerate() {
            if reading.completeness.is_truncated() {
                parts.end_at(index);
                continue;
            }
            if !seen.insert(reading.value.as_ref().map(Value::to_string))
                && is_telling(reading.value.as_ref())
            {
                parts.violations.push(several_values("two calls submit the same part of the list", calls));
            }
            parts.add(reading);
        }
        parts
    }

    /// The call with this index ends before its value does. If it is the last one, that is how the
    /// reply ends.
    fn end_at(&mut self, index: usize) {
        if index + 1 == self.calls {
            (self.is_cut, self.has_begun) = (true, true);
            return;
        }
        let message = format!("call {} of {} ends before its value is complete", index + 1, self.calls);
        let violation = Violation::new(Path::root(), Code::NotJson, message);
        self.violations.push(violation.expected("complete JSON in every call"));
    }

    fn add(&mut self, reading: Reading) {
        let first = self.elements.len();
        self.changes.extend(
            reading.changes.into_iter().map(|change| Change { path: moved(&change.path, first), ..change }),
        );
        self.violations.extend(
            reading
                .violations
                .into_iter()
                .map(|violation| Violation { path: moved(&violation.path, first), ..violation }),
        );
        match reading.value {
            Some(Value::Array(elements)) => self.elements.extend(elements),
            Some(element) => self.elements.push(element),
            None => {}
        }
    }

    /// One list of all elements, from calls of the tool `name`.
    fn joined(self, name: &str) -> ToolSubmission {
        let Self { elements, mut changes, violations, calls, is_cut, has_begun } = self;
        let element = if elements.is_empty() { "{" } else { ",{" };
        let mut text = Value::from(elements).to_string();
        if is_cut {
            // The list stays open, and so does the element that had begun.
            text.pop();
            text.push_str(if has_begun { element } else { "" });
        }
        changes.truncate(MAX_CHANGES);
        let before = format!("{} of `{name}`", counted(calls, "call"));
        let joined = Change::lossless(Path::root(), 0..0, ChangeKind::Wrapper, before);
        changes.insert(0, Change { after: "one list".to_owned(), ..joined });
        for change in &mut changes {
            change.span = 0..text.len();
        }
        ToolSubmission { text, changes, violations, judged: calls }
    }
}

/// Returns whether a part that is submitted twice is more likely a call that was repeated than an
/// element that occurs twice: equal numbers and words follow each other in many lists, equal
/// objects in few.
fn is_telling(part: Option<&Value>) -> bool {
    match part {
        Some(Value::Array(elements)) => {
            elements.len() > 1 || elements.iter().any(|element| element.is_object() || element.is_array())
        }
        Some(Value::Object(_)) => true,
        _ => false,
    }
}

/// Returns the path of a value in one part, if the part's elements start with the index `first`.
fn moved(path: &Path, first: usize) -> Path {
    match path.segments().split_first() {
        Some((Segment::Index(index), inside)) => {
            let start = Path::root().index(first + index);
            inside.iter().cloned().fold(start, Path::step)
        }
        _ => path.clone(),
    }
}
