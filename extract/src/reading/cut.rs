//! Decides whether a reply ended before its value did.

use super::{
    align::Fitted,
    locate::is_draft,
    note::{JOINED, LIST_OF_IT, Note},
    parse::is_space,
    reply_end::ReplyEnd,
};
use crate::vocabulary::{
    change::ChangeKind,
    path::{Path, Segment},
};

/// Returns whether the end of `chosen`, or of the prose about it, is missing.
pub(super) fn is_cut(reply: &str, chosen: &Fitted<'_>, thinks_on: bool, end: ReplyEnd) -> bool {
    let after = without_fence(&reply[chosen.candidate.span.end..]);
    match end {
        ReplyEnd::Whole => false,
        ReplyEnd::Unknown => {
            let goes_on = if is_closed(reply, chosen) {
                let is_draft = is_draft(&reply[..chosen.candidate.span.start]);
                breaks_off(after) && (is_draft || !is_short(after))
            } else {
                breaks_off(after)
            };
            chosen.candidate.is_guessed || thinks_on || goes_on
        }
        ReplyEnd::Cut => thinks_on || !after.is_empty() || !is_closed(reply, chosen),
    }
}

/// Returns whether the value is closed by its own brackets or quotes.
fn is_closed(reply: &str, chosen: &Fitted<'_>) -> bool {
    let text = &reply[chosen.candidate.span.clone()];
    let is_string = || text.starts_with('"') && serde_json::from_str::<String>(text).is_ok();
    let is_bracketed = || text.ends_with(['}', ']', ')']) && !text.starts_with('"');
    !chosen.candidate.is_guessed
        && (is_bracketed() || is_string())
        && !chosen.candidate.notes.iter().any(is_open)
}

/// Returns whether a bracket was missing, or the whole value became a list although it may be only
/// the first of several.
fn is_open(note: &Note) -> bool {
    let is_list = note.kind == ChangeKind::Wrapper && matches!(&*note.after, JOINED | LIST_OF_IT);
    let steps = note.path.as_ref().map_or(&[][..], Path::segments);
    note.kind == ChangeKind::Bracket || is_list && matches!(steps, [] | [Segment::Index(_)])
}

fn without_fence(after: &str) -> &str {
    let after = after.trim_matches(is_space);
    after.strip_prefix("```").unwrap_or(after).trim_start_matches(is_space)
}

/// Maximum words after a whole value that may lack their period.
const FEW_WORDS: usize = 6;

/// Returns whether `prose`, which has no period at its end, is a few plain words: `END`,
/// `Hope this helps`.
fn is_short(prose: &str) -> bool {
    let words = || prose.split_whitespace();
    let is_plain = |word: &str| word.chars().all(|c| c.is_alphanumeric() || matches!(c, '\'' | '’'));
    let goes_on =
        |word: &str| ["but", "however", "wait", "so", "no", "not", "then"].contains(&&*word.to_lowercase());
    words().take(FEW_WORDS + 1).count() <= FEW_WORDS && words().all(is_plain) && !words().any(goes_on)
}

/// Returns whether `prose` ends in the middle of a sentence.
fn breaks_off(prose: &str) -> bool {
    let goes_on = |c: char| {
        c.is_alphanumeric()
            || matches!(c, ',' | ':' | '(' | '[' | '{' | '<' | '-' | '–' | '—' | '/' | '&' | '=')
    };
    prose.contains(char::is_alphanumeric) && prose.ends_with(goes_on)
}
