//! Comments inside of a value: whether one holds, replaces or takes back a part of it.

use std::{cell::LazyCell, collections::HashSet, ops::Range};

use super::{
    align::Fitted,
    locate::Candidate,
    parse::is_space,
    prose::{
        OR, PhraseMeaning, Words, given, is_other_unit, is_retraction, is_scalar, is_unread, members,
        offered_numbers, says, says_nothing, says_scale, words,
    },
    shape::{ROOT, Shapes},
};
use crate::vocabulary::change::{ChangeKind, Loss};

/// Most words of a comment that are compared with a key.
const MAX_SAID: usize = 8;

/// Words of a comment that stands for elements or members that were not written.
static OMITTING: Words = Words::of(
    "above abbreviated additional continue continued continues etc further more omitted other others
     plus remaining repeat rest same similar skipped so truncated usw",
);

/// Words of a comment that leaves the value before it open.
static UNSURE: Words = Words::of(
    "assumed confirm confirmed estimated guess guessed hallucinated insert maybe might perhaps placeholder possibly probably sure tbd
     todo uncertain unclear undecided unreadable unsure",
);

/// What phrases in a comment may say of the value before it, so that it is not the answer.
const DOUBTING: [PhraseMeaning; 4] =
    [PhraseMeaning::Correction, PhraseMeaning::Doubt, PhraseMeaning::Sample, PhraseMeaning::Unfounded];

/// Marks the comments inside of `chosen` that hold a member of the contract's, which was skipped,
/// that take a value back or leave it open, or that stand for parts of the value.
pub(super) fn check(reply: &str, chosen: &mut Fitted<'_>, shapes: &Shapes) {
    let Candidate { node, notes, .. } = &mut chosen.candidate;
    let present = LazyCell::new(|| node.entries().iter().map(|entry| &*entry.key).collect::<HashSet<_>>());
    let is_absent = |key: &str| shapes.get(ROOT).names.contains(key) && !present.contains(key);
    for note in notes.iter_mut().filter(|note| note.kind == ChangeKind::Comment) {
        let text = reply.get(note.span.clone()).unwrap_or_default();
        // `// "age": 35,` and below it `"age": 36`.
        let next = reply[note.span.end..].trim_start().strip_prefix('"').unwrap_or_default();
        let is_replaced = |key: &str| next.strip_prefix(key).is_some_and(|rest| rest.starts_with("\":"));
        let mut held = members(text).filter(|(key, is_quoted, _)| *is_quoted && !is_replaced(key));
        let has_member = held.any(|(key, ..)| shapes.keys().has(key))
            || given(text).any(|given| given.is_scalar && is_absent(given.name));
        // The value that it follows. An empty string, or null, need not come from somewhere.
        let value = reply[..note.span.start].trim_end_matches([' ', ',']);
        let is_number = value.ends_with(|c: char| c.is_ascii_digit());
        let is_something = is_number || value.ends_with('"') && !value.ends_with("\"\"");
        // `"Oslo", // not Oslo`
        let is_denied = || {
            let denied = text.trim_start_matches(['/', '#', '*', ' ']).strip_prefix("not ");
            let string = value.rsplit('"').nth(1).filter(|string| !string.is_empty());
            denied.zip(string).is_some_and(|(denied, string)| denied.starts_with(string))
        };
        let offers_another = words(text).next().is_some_and(|word| OR.have(word));
        let is_open = text.contains('?')
            || offers_another
            // A list or a set of another language: `#(1 2)`, `#{1}`.
            || matches!(text.as_bytes(), [b'#', b'(' | b'[' | b'{', ..])
            || UNSURE.any_in(text)
            || value.ends_with("null") && text.contains(|c: char| c.is_ascii_digit())
            || value.ends_with("\"\"") && names_value(text)
            || is_something && (says(text, &DOUBTING) || is_unread(text) || asks_for_change(text))
            || is_denied()
            || is_number && (says_scale(text) || qualifies(text) || is_of_other_unit(text, value) || offered_numbers(text).next().is_some());
        // `"a 5" # 10 screw",` is one string, whose quote was not escaped.
        let is_before_comma =
            || text.trim_end().ends_with("\",") && !reply[..note.span.start].trim_end().ends_with(',');
        let has_end_of_string =
            value.ends_with('"') && (text.matches('"').count() % 2 == 1 || is_before_comma());
        if has_member
            || is_open
            || has_end_of_string
            || is_retraction(text)
            || stands_for_parts(reply, &note.span) && !members(text).any(|(key, ..)| is_replaced(key))
        {
            note.loss = Loss::Lossy;
        }
    }
}

/// Returns whether the comment `text` asks for another value, or says that this one was not read: `change this`, `could
/// not read`.
fn asks_for_change(text: &str) -> bool {
    let said: Vec<&str> = words(text).collect();
    matches!(said[..], ["change" | "replace" | "update", ..] | ["could" | "can", "not" | "t", "read", ..])
}

/// Returns whether the comment `text` after a number replaces it or leaves it open: `-> 5`, `3-5`, `at least`.
fn qualifies(text: &str) -> bool {
    static VAGUE: Words = Words::of(
        "about almost approx approximately around ca circa least max min most nearly roughly unclear unknown",
    );
    const SIGNS: [&str; 13] = ["->", "=>", "→", "=", "≈", "~", "±", "<", ">", "≤", "≥", "✗", "✘"];
    let said = text.trim_start_matches(['/', '#', '*', ' ']).trim_end_matches(['/', '*', ' ']);
    let rest = said.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_range = rest.len() < said.len()
        && rest.strip_prefix(['-', '–']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_vague = said.split_whitespace().count() < 3 && VAGUE.any_in(said);
    is_vague || is_range || SIGNS.iter().any(|sign| said.starts_with(sign))
}

/// Returns whether the comment `text` is another unit than the key of the number that ends `before` has, or denies the
/// key's: `"days": 3 // weeks`, `// nights, not days`.
fn is_of_other_unit(text: &str, before: &str) -> bool {
    let key = before.rsplit('"').nth(1).unwrap_or_default();
    let said: Vec<&str> = words(text).take(MAX_SAID).collect();
    let is_key = |word: &str| word.len() > 2 && key.to_lowercase().contains(&word.to_lowercase());
    matches!(said[..], [unit] if !text.contains(|c: char| c.is_ascii_digit()) && is_other_unit(unit, key))
        || said.windows(2).any(|two| two[0] == "not" && is_key(two[1]))
}

/// Returns whether the comment `text` after an empty string may be its value: `"court": "", // BGH`
fn names_value(text: &str) -> bool {
    static NAMING_NONE: Words = Words::of("blank leer optional unavailable");
    let said = text.trim_start_matches(['/', '#', '*', ' ']);
    said.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
        && said.split_whitespace().count() < 3
        && !says_nothing(said)
        && !NAMING_NONE.any_in(said)
        && !says(said, &[PhraseMeaning::Unfounded])
}

/// Returns whether the comment at `span` stands for parts of the value: it has an ellipsis, or it
/// is where an element or a member would be and says that there are more.
fn stands_for_parts(reply: &str, span: &Range<usize>) -> bool {
    let (before, text, after) = (&reply[..span.start], &reply[span.clone()], &reply[span.end..]);
    if text.contains("...") || text.contains('…') {
        return true;
    }
    let bare = text.trim_matches(['/', '#', '*', ' ', '-', ',', '\r']);
    let before = before.trim_end_matches([' ', '\t']);
    let starts_line = before.ends_with('\n');
    let after = after.trim_start_matches(is_space);
    // `[1, 2, /* 12 values */]`: a number in the place of an element counts others.
    let is_in_place = before.ends_with('[') || before.ends_with(',') && after.starts_with(']');
    let is_counted = || is_in_place && text.contains(|c: char| c.is_ascii_digit());
    (starts_line || is_in_place || after.starts_with([']', '}'])) && OMITTING.any_in(text)
        || is_counted()
        // It is a value, or several.
        || bare.split(", ").next().is_some_and(is_scalar)
        || starts_line && bare.starts_with(['"', '{', '['])
}
