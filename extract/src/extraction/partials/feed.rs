//! From the events of an extraction to the steps of a stream.

use std::collections::VecDeque;

use serde_json::Value;

use super::submitting::Submitting;
use crate::{
    judging::{Event, tools::ToolSet},
    reading::{GrowingAnswer, Mark, PartState, Snapshot},
    violation::Violation,
};

/// What an observer has seen and the consumer has not. Of the partials only the last one is made,
/// so there is at most one step per attempt and that.
#[derive(Debug)]
pub(super) struct Feed {
    answer: GrowingAnswer,
    /// Set if the value may be submitted by calling a tool.
    submitting: Option<Submitting>,
    /// What was read of a reply that only validates it.
    validated: Option<Value>,
    only_validates: bool,
    attempt: u32,
    /// Restarts that the consumer has not seen. All of them come before the next partial.
    restarts: VecDeque<Restart>,
    /// Whether the reply is the rest of a value that was cut. It is not the value, so nothing is shown
    /// before both were put together.
    is_rest: bool,
    /// How much of the answer the consumer has seen; `None` before the first partial that counts.
    seen: Option<Mark>,
}

#[derive(Debug)]
pub(super) struct Restart {
    pub(super) attempt: u32,
    pub(super) violations: Vec<Violation>,
}

/// What the consumer gets next.
#[derive(Debug)]
pub(super) enum Next {
    Partial(Snapshot),
    Restart(Restart),
}

impl Feed {
    /// `tool_set` is that of an extraction in which the value may be submitted by calling a tool.
    pub(super) fn new(answer: GrowingAnswer, tool_set: Option<ToolSet>) -> Self {
        Self {
            answer,
            submitting: tool_set.map(Submitting::new),
            validated: None,
            only_validates: false,
            attempt: 1,
            restarts: VecDeque::new(),
            is_rest: false,
            seen: None,
        }
    }

    /// What is new.
    pub(super) fn next(&mut self) -> Option<Next> {
        if let Some(restart) = self.restarts.pop_front() {
            return Some(Next::Restart(restart));
        }
        let snapshot = self.answer.snapshot()?;
        let mark = Some(snapshot.mark());
        (std::mem::replace(&mut self.seen, mark) != mark).then_some(Next::Partial(snapshot))
    }

    pub(super) fn observe(&mut self, event: &Event<'_>) {
        match event {
            Event::Asked { attempt, continuation, .. } => {
                self.attempt = *attempt;
                self.is_rest = continuation.is_some();
                self.begin_again();
            }
            Event::Delta { text, is_first, .. } => {
                if *is_first {
                    self.begin_again();
                }
                let has_submitted = self.submitting.as_ref().is_some_and(Submitting::has_begun);
                if !self.is_rest && !has_submitted {
                    self.answer.push(text);
                }
            }
            Event::Arguments { call, name, text, is_first, .. } => {
                if *is_first {
                    self.begin_again();
                }
                self.push_arguments(*call, name, text);
            }
            Event::TransportFailed { .. } => self.begin_again(),
            Event::Replied { reply, .. } => {
                self.answer.finish();
                let validates = |submitting: &Submitting| submitting.only_validates(reply);
                self.only_validates = self.submitting.as_ref().is_some_and(validates);
            }
            Event::Read { reading, .. } if !reading.completeness.is_truncated() => {
                if let Some(value) = &reading.value {
                    if self.only_validates {
                        self.validated = Some(value.clone());
                    } else {
                        self.read(value);
                    }
                }
            }
            Event::Judged { .. } => {
                if let Some(value) = self.validated.take() {
                    self.read(&value);
                }
            }
            Event::FeedingBack { record, .. } => {
                self.attempt = record.number + 1;
                self.restart(record.violations.clone());
            }
            _ => {}
        }
    }

    /// Reads the next part of the arguments of a call.
    fn push_arguments(&mut self, call: usize, name: &str, text: &str) {
        let Some(submitting) = &mut self.submitting else { return };
        let Some(submitted) = submitting.push(call, name, text) else { return };
        if submitted.begins {
            // What the text of the reply showed is not the answer.
            self.forget();
        }
        self.answer.push(&submitted.text);
    }

    /// Shows the `value` that was read from the whole reply, if that is not what is shown.
    fn read(&mut self, value: &Value) {
        let shown = self.answer.snapshot();
        let agrees = shown.as_ref().is_none_or(|shown| shown.agrees_with(value));
        if agrees && shown.is_some_and(|shown| shown.state("") == PartState::Done) {
            return;
        }
        let read = self.answer.read(value);
        if agrees {
            // More than before, on another tape, whose marks say nothing of this one.
            self.seen = self.seen.map(|_| Mark::default());
        } else {
            self.forget();
        }
        self.answer = read;
    }

    /// The reply starts anew in the same attempt.
    fn begin_again(&mut self) {
        self.validated = None;
        if let Some(submitting) = &mut self.submitting {
            submitting.begin_again();
        }
        self.forget();
    }

    /// What was shown of the reply no longer counts.
    fn forget(&mut self) {
        if self.seen.is_some() {
            self.restart(Vec::new());
        } else {
            self.answer = self.answer.restarted();
        }
    }

    fn restart(&mut self, violations: Vec<Violation>) {
        self.answer = self.answer.restarted();
        self.seen = None;
        self.restarts.push_back(Restart { attempt: self.attempt, violations });
    }
}
