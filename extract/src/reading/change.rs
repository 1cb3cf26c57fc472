//! The receipt of a reading.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Path, text::cut};

/// Characters of `before` and `after` that a change keeps; the span says where the rest is.
const KEPT_CHARS: usize = 400;

/// One departure of a reply from strict JSON that conforms, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Change {
    /// Where in the value; the root for what surrounds it.
    pub path: Path,
    /// Where in the reply, in bytes.
    pub span: Range<usize>,
    /// What was done.
    pub kind: ChangeKind,
    /// The text as it stood in the reply, cut to a bounded size.
    pub before: String,
    /// What it was read as; empty where it was left out.
    pub after: String,
    /// What was lost by it.
    pub loss: Loss,
}

impl Change {
    pub(super) fn ignored(kind: ChangeKind, span: Range<usize>, before: &str) -> Self {
        Self {
            path: Path::root(),
            span,
            kind,
            before: cut(before, KEPT_CHARS),
            after: String::new(),
            loss: Loss::Ignored,
        }
    }
}

/// What was done to a part of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// Text around the value was left out: prose, a code fence, reasoning.
    Surroundings,
    /// Another JSON value, such as an earlier draft, was left out.
    OtherValue,
}

/// What a [`Change`] lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Loss {
    /// Nothing: the same information in another spelling.
    Lossless,
    /// Material that the contract does not ask for.
    Ignored,
    /// Part of what was asked for.
    Lossy,
}
