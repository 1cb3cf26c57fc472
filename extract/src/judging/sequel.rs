//! How the next reply continues one that was cut.

use std::{fmt, sync::Arc};

use super::continuation::Continuation;
use crate::{attempt, path::Path};

/// How another reply may continue one, if that one is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MayContinue {
    /// Not at all.
    Never,
    /// With the rest of the value.
    TheValue,
    /// With the rest of the text, or else of the value.
    TheText,
}

/// How the next reply continues one that was cut.
#[derive(Debug)]
pub(crate) enum Sequel {
    /// The agent continues the text of the reply.
    Text(Prefill),
    /// The agent is asked for the rest of the value.
    Rest(Box<Continuation>),
}

/// The text that an agent continues.
pub(crate) struct Prefill {
    pub(crate) text: Arc<str>,
    /// How to ask for the rest instead, should the text leave no room.
    pub(crate) rest: Option<Box<Continuation>>,
}

impl Sequel {
    /// The agent continues the text of `reply`, if it `continues_text`. Otherwise it is asked for the
    /// `rest`, if there is one to ask for.
    pub(super) fn of(reply: &str, rest: Option<Box<Continuation>>, continues_text: bool) -> Option<Self> {
        if continues_text {
            return Some(Self::Text(Prefill { text: reply.into(), rest }));
        }
        rest.map(Self::Rest)
    }

    /// What the attempt that answers it is recorded to continue.
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
    pub(crate) fn into_rest(self) -> Option<Box<Continuation>> {
        match self {
            Self::Rest(rest) => Some(rest),
            Self::Text(prefill) => prefill.rest,
        }
    }
}

impl fmt::Debug for Prefill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prefill").field("bytes", &self.text.len()).finish_non_exhaustive()
    }
}
