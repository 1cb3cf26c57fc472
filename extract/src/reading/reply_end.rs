//! How a reply ended, and what that says of a value in it.

use super::{
    choose::Chosen,
    note::{JOINED, LIST_OF_IT, Note},
    parse::is_space,
};
use crate::{
    change::ChangeKind,
    path::{Path, Segment},
};

/// How a reply ended, as far as its agent says.
///
/// ```
/// use extract::{Contract, ReplyEnd};
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// assert_eq!(contract.read("1234").value, Some(1234.into()));
/// let reading = contract.reader().reply_end(ReplyEnd::Cut).read("1234");
/// assert!(reading.completeness.is_truncated(), "digits may be missing");
/// # Ok::<(), extract::SchemaError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReplyEnd {
    /// The agent was done. What the text itself shows is believed all the same: a value whose bracket or quote is still
    /// open was cut.
    Whole,
    /// Nothing is known but the text. Two more signs of a cut count: prose after the value that breaks off in the middle
    /// of a sentence, and a last string that only lacks its quote. A number, a word or lines that look whole are taken
    /// as whole.
    #[default]
    Unknown,
    /// The reply was cut, such as by a token limit. Only a value that its own brackets or quotes close is taken as whole,
    /// and only at the very end of the reply: what follows might have taken it back.
    Cut,
}

impl ReplyEnd {
    /// Whether `reply`, which is strict JSON and nothing else, may lack its end.
    pub(super) fn cuts_strict(self, reply: &str) -> bool {
        self == Self::Cut && !reply.trim_start().starts_with(['{', '[', '"'])
    }

    /// Whether the end of `chosen`, or of what was said about it, is missing.
    pub(super) fn cuts(self, reply: &str, chosen: &Chosen<'_>, thinks_on: bool) -> bool {
        let after = without_fence(&reply[chosen.span.end..]);
        match self {
            Self::Whole => false,
            Self::Unknown => chosen.is_guessed || thinks_on || breaks_off(after),
            Self::Cut => thinks_on || !after.is_empty() || !is_closed(reply, chosen),
        }
    }
}

/// Whether its own brackets or quotes close the value.
fn is_closed(reply: &str, chosen: &Chosen<'_>) -> bool {
    let text = &reply[chosen.span.clone()];
    let is_string = || text.starts_with('"') && serde_json::from_str::<String>(text).is_ok();
    let is_bracketed = || text.ends_with(['}', ']', ')']) && !text.starts_with('"');
    !chosen.is_guessed && (is_bracketed() || is_string()) && !chosen.aligned.notes.iter().any(is_open)
}

/// Whether a bracket was missing, or a list of the whole value was made of what may be the first of several.
fn is_open(note: &Note) -> bool {
    let is_list = note.kind == ChangeKind::Wrapper && matches!(&*note.after, JOINED | LIST_OF_IT);
    let steps = note.path.as_ref().map_or(&[][..], Path::segments);
    note.kind == ChangeKind::Bracket || is_list && matches!(steps, [] | [Segment::Index(_)])
}

fn without_fence(after: &str) -> &str {
    let after = after.trim_matches(is_space);
    after.strip_prefix("```").unwrap_or(after).trim_start_matches(is_space)
}

/// Whether `prose` ends where no sentence does.
fn breaks_off(prose: &str) -> bool {
    let goes_on = |c: char| {
        c.is_alphanumeric()
            || matches!(c, ',' | ':' | '(' | '[' | '{' | '<' | '-' | '–' | '—' | '/' | '&' | '=')
    };
    prose.contains(char::is_alphanumeric) && prose.ends_with(goes_on)
}
