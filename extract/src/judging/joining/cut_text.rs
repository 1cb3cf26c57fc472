//! A text that was cut, and what an addition does to it.

use std::fmt;

use super::{
    preamble,
    repeated::TextEnd,
    sign::JoinSign,
    strict_text::{ScanEffect, StrictText},
};

/// How an addition relates to the text before it. The worst is the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextJoin {
    Continues,
    /// So far it may continue the text, and may as well be something else.
    Undecided,
    /// It does not continue the text, or nobody can tell.
    Unclear,
}

/// The text of a value that was cut, and that an addition may continue.
#[derive(Clone)]
pub(crate) struct CutText {
    end: StrictText,
    /// The text without white space between tokens.
    kept: Vec<u8>,
}

/// Whether more may follow an addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdditionEnd {
    Final,
    MayGrow,
}

impl CutText {
    /// `text` starts with the value. `None` if it is not strict JSON, or not cut inside a bracket or
    /// string.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let (mut end, mut kept) = (StrictText::new(), Vec::new());
        let scanned = end.scan(text, &mut kept);
        (scanned == ScanEffect::Open && end.is_open()).then_some(Self { end, kept })
    }

    /// How `addition` relates to the text. If it is final, it has to
    /// complete the value.
    pub(crate) fn join(&self, addition: &str, end: AdditionEnd) -> TextJoin {
        let mut kept = Vec::new();
        let scanned = self.end.clone().scan(addition, &mut kept);
        let is_complete = match scanned {
            ScanEffect::Broken => return TextJoin::Unclear,
            ScanEffect::Closed(end) if !is_prose(&addition[end..]) => return TextJoin::Unclear,
            ScanEffect::Closed(_) => true,
            ScanEffect::Open => false,
        };
        let signs = [self.preamble(addition), self.end().repeated_by(&kept)];
        if signs.contains(&JoinSign::Yes) {
            TextJoin::Unclear
        } else if is_complete {
            TextJoin::Continues
        } else if end == AdditionEnd::Final {
            TextJoin::Unclear
        } else if signs.contains(&JoinSign::Maybe) {
            TextJoin::Undecided
        } else {
            TextJoin::Continues
        }
    }

    /// Returns whether `addition` writes the whole value again, from the same start on. Other words
    /// may be around it, but no other value.
    pub(crate) fn is_restarted_by(&self, addition: &str) -> bool {
        let Some(start) = addition.find(['{', '[']) else { return false };
        let (before, text) = addition.split_at(start);
        if !is_prose(before) || before.trim_start().starts_with([',', ':']) {
            return false;
        }
        let mut kept = Vec::new();
        let ScanEffect::Closed(end) = StrictText::new().scan(text, &mut kept) else { return false };
        // A list in a list starts like the whole.
        let is_telling = self.kept.iter().any(|byte| *byte != b'[');
        is_telling && kept.starts_with(&self.kept) && is_prose(&text[end..])
    }

    fn end(&self) -> TextEnd<'_> {
        TextEnd { text: &self.kept, token: self.end.token(), is_in_string: self.end.is_in_string() }
    }

    fn preamble(&self, addition: &str) -> JoinSign {
        let Some(bytes) = self.end.token().filter(|_| self.end.is_in_string()) else { return JoinSign::No };
        let before = String::from_utf8_lossy(&self.kept[self.kept.len() - bytes.min(4)..]);
        let (inside, is_closed) = match end_of_string(addition) {
            Some(end) => (&addition[..end], true),
            None => (addition, false),
        };
        preamble::sign(inside, is_closed, before.ends_with(char::is_alphanumeric))
    }
}

/// Where the quote is that ends an open string.
fn end_of_string(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })
}

/// Returns whether `text` around a value is only prose.
fn is_prose(text: &str) -> bool {
    !text.contains(['{', '}', '[', ']', '"'])
}

impl fmt::Debug for CutText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CutText").field("bytes", &self.kept.len()).finish_non_exhaustive()
    }
}
