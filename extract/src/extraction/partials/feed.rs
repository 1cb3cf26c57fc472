//! From the events of an extraction to the steps of a stream.

use std::collections::VecDeque;

use serde_json::Value;

use crate::{
    judging::Event,
    reading::{GrowingAnswer, PartState, Snapshot},
    violation::Violation,
};

/// What an observer has seen and the consumer has not. Only the last partial is kept, so there are
/// at most two steps per attempt.
#[derive(Debug)]
pub(super) struct Feed {
    answer: GrowingAnswer,
    attempt: u32,
    queue: VecDeque<Queued>,
    /// The last partial that was queued, while it counts.
    last: Option<Snapshot>,
    /// Whether the consumer has a partial that counts.
    has_shown: bool,
}

#[derive(Debug)]
pub(super) enum Queued {
    Partial(Snapshot),
    Restarted { attempt: u32, violations: Vec<Violation> },
}

impl Feed {
    pub(super) fn new(answer: GrowingAnswer) -> Self {
        Self { answer, attempt: 1, queue: VecDeque::new(), last: None, has_shown: false }
    }

    /// The next step.
    pub(super) fn next(&mut self) -> Option<Queued> {
        let next = self.queue.pop_front();
        if let Some(Queued::Partial(_)) = next {
            self.has_shown = true;
        }
        next
    }

    pub(super) fn observe(&mut self, event: &Event<'_>) {
        match event {
            Event::Asked { attempt, .. } => {
                self.attempt = *attempt;
                self.begin_again();
            }
            Event::Delta { text, is_first, .. } => {
                if *is_first {
                    self.begin_again();
                }
                self.answer.push(text);
                self.show();
            }
            Event::TransportFailed { .. } => self.begin_again(),
            Event::Replied { .. } => {
                self.answer.finish();
                self.show();
            }
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

    /// Shows what is new.
    fn show(&mut self) {
        let snapshot = self.answer.snapshot();
        if snapshot.is_empty() || self.last.as_ref().is_some_and(|last| snapshot.is_as(last)) {
            return;
        }
        self.drop_partial();
        self.last = Some(snapshot.clone());
        self.queue.push_back(Queued::Partial(snapshot));
    }

    /// Shows the `value` that was read from the whole reply, if that is not what is shown.
    fn read(&mut self, value: &Value) {
        let shown = self.answer.snapshot();
        let agrees = shown.agrees_with(value);
        if agrees && shown.state("") == PartState::Done {
            return;
        }
        let read = self.answer.read(value);
        if !agrees {
            self.begin_again();
        }
        self.last = None;
        self.answer = read;
        self.show();
    }

    /// The reply starts anew in the same attempt.
    fn begin_again(&mut self) {
        if self.has_shown {
            self.restart(Vec::new());
        } else {
            self.clear();
        }
    }

    fn restart(&mut self, violations: Vec<Violation>) {
        self.clear();
        self.has_shown = false;
        self.queue.push_back(Queued::Restarted { attempt: self.attempt, violations });
    }

    fn clear(&mut self) {
        self.drop_partial();
        self.last = None;
        self.answer = self.answer.restarted();
    }

    /// Drops the partial that nobody has seen.
    fn drop_partial(&mut self) {
        if let Some(Queued::Partial(_)) = self.queue.back() {
            self.queue.pop_back();
        }
    }
}
