//! How the next reply continues one that was cut.

use std::sync::Arc;

use super::{
    continuation::ContinuationPlan,
    joining::{AdditionEnd, CutText, JoinWatch, TextJoin},
};
use crate::{attempt, reading::Reading, vocabulary::path::Path};

/// Maximum number of additions that may each be something other than a continuation.
const MAX_UNDECIDED: usize = 16;

/// How another reply may continue one, if that one is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContinuationSupport {
    /// Not at all.
    Never,
    /// With the rest of the value.
    TheValue,
    /// With the rest of the text, or else of the value.
    TheText,
}

/// How the next reply continues one that was cut.
pub(crate) enum ReplyContinuation {
    /// The agent continues the text of the reply.
    Text(ContinuedText),
    /// The agent is asked for the rest of the value.
    Rest(Box<ContinuationPlan>),
}

/// The text that an agent continues.
pub(crate) struct ContinuedText {
    pub(crate) text: Arc<str>,
    /// Where the value starts; `None` if no part of it is there yet.
    start: Option<usize>,
    /// Where texts were joined that may not belong together. The text after them decides.
    pub(super) undecided: Vec<usize>,
    /// How to ask for the rest instead, should the text leave no room, or should the agent add
    /// something else.
    pub(super) rest: Option<Box<ContinuationPlan>>,
}

/// An agent's addition to a [`ContinuedText`].
pub(super) enum ContinuedAddition {
    /// It continues the text, so far as is known: it may not where the text is `undecided`.
    Continues { undecided: Vec<usize> },
    /// It is the whole reply again.
    Restarts,
    /// Something else, or nobody can tell.
    Unclear,
}

impl ReplyContinuation {
    /// The agent continues the text of `reply`, read as `reading`, if it can, and if whatever it
    /// adds can be told from something else; the positions where that is open so far are
    /// `undecided`. Otherwise it is asked for the `rest`, if there is one to ask for.
    pub(super) fn of(
        reply: &str,
        reading: &Reading,
        undecided: Option<Vec<usize>>,
        rest: Option<Box<ContinuationPlan>>,
    ) -> Option<Self> {
        match undecided {
            Some(undecided) if can_be_told(reply, reading, &undecided) => {
                let (text, start) = (reply.into(), reading.cut_from);
                Some(Self::Text(ContinuedText { text, start, undecided, rest }))
            }
            _ => rest.map(Self::Rest),
        }
    }

    /// Returns the continuation to record for the attempt that answers it.
    pub(crate) fn going(&self) -> attempt::Continuation {
        match self {
            Self::Rest(rest) => rest.going(),
            Self::Text(prefill) => {
                let part = prefill.rest.as_ref().map(|rest| rest.going());
                part.unwrap_or_else(|| attempt::Continuation::new(Path::root(), 0)).of_text()
            }
        }
    }

    /// The question for the rest, if there can be one.
    pub(crate) fn into_rest(self) -> Option<Box<ContinuationPlan>> {
        match self {
            Self::Rest(rest) => Some(rest),
            Self::Text(prefill) => prefill.rest,
        }
    }
}

impl ContinuedText {
    /// Classifies `addition`, which may have been cut too.
    pub(super) fn add(&self, addition: &str, addition_end: AdditionEnd) -> ContinuedAddition {
        let Some(start) = self.start else { return ContinuedAddition::Continues { undecided: Vec::new() } };
        let joined = format!("{}{addition}", self.text);
        let mut undecided = Vec::new();
        for end in self.ends() {
            let cut = CutText::of(&joined[start..end]);
            match cut.as_ref().map_or(TextJoin::Unclear, |cut| cut.join(&joined[end..], addition_end)) {
                TextJoin::Continues => {}
                TextJoin::Undecided => undecided.push(end),
                TextJoin::Unclear => {
                    let cut = CutText::of(&self.text[start..]);
                    let is_restarted = cut.is_some_and(|cut| cut.is_restarted_by(addition));
                    return if is_restarted {
                        ContinuedAddition::Restarts
                    } else {
                        ContinuedAddition::Unclear
                    };
                }
            }
        }
        ContinuedAddition::Continues { undecided }
    }

    /// Where the text may have been cut.
    fn ends(&self) -> impl Iterator<Item = usize> {
        self.undecided.iter().copied().chain([self.text.len()])
    }

    /// The text that is certain.
    pub(crate) fn settled(&self) -> &str {
        let end = self.undecided.first().copied().unwrap_or(self.text.len());
        &self.text[..end]
    }

    /// Watches what follows the [settled](Self::settled) text.
    pub(crate) fn watch(&self) -> JoinWatch {
        let settled = self.settled().len();
        let cut = |end: usize| Some((CutText::of(&self.text[self.start?..end])?, end - settled));
        JoinWatch::new(self.ends().filter_map(cut).collect(), self.text[settled..].to_owned())
    }
}

/// Returns whether an addition to `reply` can be told from something else: no part of the value is
/// there yet, or it is strict JSON.
fn can_be_told(reply: &str, reading: &Reading, undecided: &[usize]) -> bool {
    match reading.cut_from {
        Some(start) => CutText::of(&reply[start..]).is_some() && undecided.len() <= MAX_UNDECIDED,
        None => reading.value.is_none(),
    }
}
