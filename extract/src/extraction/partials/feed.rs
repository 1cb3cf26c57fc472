//! Turns the events of an extraction into the steps of a stream.

use std::{collections::VecDeque, sync::Arc};

use serde_json::Value;

use super::{
    super::list_continuation::{ListContinuation, opened},
    screen::{PartialScreen, ScreenRestart},
    submitting::SubmittingCall,
};
use crate::{
    judging::{ContinuationNotice, Event, JoinWatch, ReplyContinuation, tools::ToolSet},
    reading::{GrowingAnswer, PartState, SharedTape},
    vocabulary::violation::Violation,
};

/// An observer that shows the answer. Only the latest partial is made, so at most one step per
/// attempt and that partial wait for the consumer.
#[derive(Debug)]
pub(super) struct PartialFeed {
    screen: Arc<PartialScreen>,
    /// The value that is on the screen.
    shown: Option<Arc<SharedTape>>,
    answer: GrowingAnswer,
    /// Set if the value may be submitted by calling a tool.
    submitting: Option<SubmittingCall>,
    /// The value of a reply that only validates it.
    validated: Option<Value>,
    only_validates: bool,
    attempt: u32,
    /// Restarts that the screen does not show yet.
    restarts: VecDeque<ScreenRestart>,
    /// The reply that was cut, if this one continues it.
    cut: Option<CutReply>,
}

/// A reply that was cut, while the next one continues it.
#[derive(Debug)]
enum CutReply {
    /// The agent continues the text `there`. The addition is shown once it is known to continue the
    /// text.
    Text { there: String, added: JoinWatch, watch: JoinWatch, is_fresh: bool },
    /// The reply continues a list. `there` is the text up to its new elements.
    List { rest: Box<ListContinuation>, there: String },
    /// The reply continues something else, which is shown once it was read.
    Unshown,
}

impl CutReply {
    fn of(continuation: &ReplyContinuation, answer: &GrowingAnswer) -> Self {
        match continuation {
            ReplyContinuation::Text(prefill) => {
                let (there, watch) = (prefill.settled().to_owned(), prefill.watch());
                Self::Text { there, added: watch.clone(), watch, is_fresh: true }
            }
            ReplyContinuation::Rest(rest) => match ListContinuation::of(rest, answer).zip(opened(rest)) {
                Some((rest, there)) => Self::List { rest: Box::new(rest), there },
                None => Self::Unshown,
            },
        }
    }

    /// Returns whether the next reply has not begun.
    fn is_fresh(&self) -> bool {
        match self {
            Self::Text { is_fresh, .. } => *is_fresh,
            Self::List { rest, .. } => rest.is_fresh(),
            Self::Unshown => false,
        }
    }

    /// Restarts the next reply, and returns the text before it.
    fn begin_again(&mut self) -> &str {
        match self {
            Self::Text { there, added, watch, is_fresh } => {
                *is_fresh = true;
                added.clone_from(watch);
                there
            }
            Self::List { rest, there } => {
                rest.begin_again();
                there
            }
            Self::Unshown => "",
        }
    }

    /// Adds the next part of the reply to `answer`.
    fn push(&mut self, text: &str, answer: &mut GrowingAnswer) {
        match self {
            Self::Text { added, is_fresh, .. } => {
                *is_fresh = false;
                answer.push(&added.push(text));
            }
            Self::List { rest, .. } => rest.push(text, |_, value| answer.push(&format!("{value},"))),
            Self::Unshown => {}
        }
    }
}

impl PartialFeed {
    /// `tool_set` is given if the value may be submitted by calling a tool.
    pub(super) fn new(answer: GrowingAnswer, tool_set: Option<ToolSet>, screen: Arc<PartialScreen>) -> Self {
        Self {
            screen,
            shown: None,
            answer,
            submitting: tool_set.map(SubmittingCall::new),
            validated: None,
            only_validates: false,
            attempt: 1,
            restarts: VecDeque::new(),
            cut: None,
        }
    }

    pub(super) fn observe(&mut self, event: &Event<'_>) {
        self.follow(event);
        self.show();
    }

    /// Shows what is known now.
    fn show(&mut self) {
        let sight = self.answer.sight();
        match (&sight, &self.shown) {
            (Some(sight), Some(shown)) if self.restarts.is_empty() && sight.is_of(shown) => {
                self.screen.go_on(sight.mark());
            }
            (None, None) if self.restarts.is_empty() => {}
            _ => {
                self.screen.change(&mut self.restarts, sight);
                self.shown = sight.map(|sight| Arc::clone(sight.tape()));
            }
        }
    }

    fn follow(&mut self, event: &Event<'_>) {
        match event {
            Event::Asked { attempt, notice, .. } => {
                self.attempt = *attempt;
                self.cut =
                    notice.map(|ContinuationNotice(continuation)| CutReply::of(continuation, &self.answer));
                self.begin_again();
            }
            Event::Delta { text, is_first, .. } => {
                // The text before it is already shown.
                let is_fresh = self.cut.as_ref().is_some_and(CutReply::is_fresh);
                if *is_first && !is_fresh {
                    self.begin_again();
                }
                let has_submitted = self.submitting.as_ref().is_some_and(SubmittingCall::has_begun);
                match &mut self.cut {
                    _ if has_submitted => {}
                    Some(cut) => cut.push(text, &mut self.answer),
                    None => self.answer.push(text),
                }
            }
            Event::Arguments { call, name, text, is_first, .. } => {
                if *is_first {
                    self.begin_again();
                }
                if self.cut.is_none() {
                    self.push_arguments(*call, name, text);
                }
            }
            Event::TransportFailed { .. } => self.begin_again(),
            Event::Replied { reply, .. } => {
                self.answer.finish();
                let validates = |submitting: &SubmittingCall| submitting.only_validates(reply);
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
            // The value shown from the text of the reply is not the answer.
            self.forget();
        }
        self.answer.push(&submitted.text);
    }

    /// Shows the `value` that was read from the whole reply, unless it is already shown.
    fn read(&mut self, value: &Value) {
        let shown = self.answer.sight();
        let agrees = shown.as_ref().is_none_or(|shown| shown.agrees_with(value));
        if agrees && shown.is_some_and(|shown| shown.state("") == PartState::Done) {
            return;
        }
        let read = self.answer.read(value);
        if !agrees {
            self.forget();
        }
        self.answer = read;
    }

    /// Starts a reply from its first byte.
    fn begin_again(&mut self) {
        self.validated = None;
        if let Some(submitting) = &mut self.submitting {
            submitting.begin_again();
        }
        self.forget();
        if let Some(cut) = &mut self.cut {
            self.answer.push(cut.begin_again());
        }
    }

    /// Discards what was shown of the reply.
    fn forget(&mut self) {
        if self.screen.is_seen() {
            self.restart(Vec::new());
        } else {
            self.answer = self.answer.restarted();
        }
    }

    fn restart(&mut self, violations: Vec<Violation>) {
        self.answer = self.answer.restarted();
        self.screen.mark_unseen();
        self.restarts.push_back(ScreenRestart { attempt: self.attempt, violations });
    }
}
