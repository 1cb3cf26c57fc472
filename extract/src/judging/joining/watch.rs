//! Holds an addition back, while it is written, until it is known to continue the text.

use std::{borrow::Cow, fmt, mem};

use super::cut_text::{AdditionEnd, CutText, TextJoin};

/// Additions up to this length are checked with every delta. Longer ones are checked when they have
/// grown by a quarter, so that many small deltas take no longer than one.
const SHORT: usize = 64;

/// An addition that is being written.
#[derive(Clone)]
pub(crate) struct JoinWatch {
    /// The texts that it may continue, and where in `held` each ends.
    cuts: Vec<(CutText, usize)>,
    held: String,
    /// Bytes of `held` when it was last checked.
    checked: usize,
    is_unclear: bool,
}

impl JoinWatch {
    /// Watches what follows `held`. Each of `cuts` is a text that ends at this byte of `held`.
    pub(crate) fn new(cuts: Vec<(CutText, usize)>, held: String) -> Self {
        Self { cuts, held, checked: 0, is_unclear: false }
    }

    /// The text to show after `delta` was added. Nothing while it may still be something other than
    /// a continuation, and nothing at all once it is.
    pub(crate) fn push<'d>(&mut self, delta: &'d str) -> Cow<'d, str> {
        if self.is_unclear {
            return Cow::Borrowed("");
        }
        if self.cuts.is_empty() {
            let held = mem::take(&mut self.held);
            return if held.is_empty() { Cow::Borrowed(delta) } else { Cow::Owned(held + delta) };
        }
        self.held.push_str(delta);
        if self.held.len() > SHORT && self.held.len() < self.checked + self.checked / 4 {
            return Cow::Borrowed("");
        }
        self.checked = self.held.len();
        let joins = self.cuts.iter().map(|(cut, at)| cut.join(&self.held[*at..], AdditionEnd::MayGrow));
        match joins.max().unwrap_or(TextJoin::Continues) {
            TextJoin::Continues => {
                self.cuts.clear();
                Cow::Owned(mem::take(&mut self.held))
            }
            TextJoin::Undecided => Cow::Borrowed(""),
            TextJoin::Unclear => {
                (self.is_unclear, self.held) = (true, String::new());
                Cow::Borrowed("")
            }
        }
    }
}

impl fmt::Debug for JoinWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinWatch").field("cuts", &self.cuts).finish_non_exhaustive()
    }
}
