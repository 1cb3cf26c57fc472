//! From the events of an extraction to the steps of a stream.

use std::collections::VecDeque;

use serde_json::Value;

use crate::{
    judging::Event,
    reading::{GrowingAnswer, Mark, PartState, Snapshot},
    violation::Violation,
};

/// What an observer has seen and the consumer has not. Of the partials only the last one is made,
/// so there is at most one step per attempt and that.
#[derive(Debug)]
pub(super) struct Feed {
    answer: GrowingAnswer,
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
    pub(super) fn new(answer: GrowingAnswer) -> Self {
        Self { answer, attempt: 1, restarts: VecDeque::new(), is_rest: false, seen: None }
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
                if !self.is_rest {
                    self.answer.push(text);
                }
            }
            Event::TransportFailed { .. } => self.begin_again(),
            Event::Replied { .. } => self.answer.finish(),
            Event::Read { reading, .. } if !reading.completeness.is_truncated() => {
                if let Some(value) = &reading.value {
                    self.read(value);
                }
            }
            Event::FeedingBack { record, .. } => {
                self.attempt = record.number + 1;
                self.restart(record.violations.clone());
            }
            _ => {}
        }
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
            self.begin_again();
        }
        self.answer = read;
    }

    /// The reply starts anew in the same attempt.
    fn begin_again(&mut self) {
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
