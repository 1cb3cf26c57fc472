//! Signs that are missing between values, and stand in a string: `{"a"": 1"}`, `["a]"`. They may have been
//! meant either way.

use std::ops::Range;

use crate::{
    reading::{
        node::{Data, Node},
        receipt::Note,
    },
    vocabulary::change::ChangeKind,
};

/// Where the string or key in `node` is that starts or ends with a sign that is missing by the `notes` on
/// `text`.
pub(super) fn sign_in_string(text: &str, node: &Node<'_>, notes: &[Note]) -> Option<Range<usize>> {
    let missing: Vec<char> = notes.iter().filter_map(|note| missing(text, note)).collect();
    // One that is missing more than once is never written, and both halves of a pair are left over together.
    let is_once = |sign: &char| missing.iter().filter(|other| *other == sign).nth(1).is_none();
    let is_pair = |sign: &char| other_half(*sign).is_some_and(|half| missing.contains(&half));
    let signs: Vec<char> = missing.iter().copied().filter(|sign| is_once(sign) && !is_pair(sign)).collect();
    if signs.is_empty() { None } else { holder(node, &signs) }
}

/// The sign that is missing by `note`. One half of a pair of brackets is missing if the other is left over.
fn missing(text: &str, note: &Note) -> Option<char> {
    let is_sign = matches!(note.kind, ChangeKind::Bracket | ChangeKind::Comma | ChangeKind::Colon);
    match (text.get(note.span.clone())?, &*note.after) {
        ("", after) if is_sign => after.chars().next(),
        (before, "") if is_sign => other_half(before.chars().next()?),
        _ => None,
    }
}

fn other_half(bracket: char) -> Option<char> {
    Some(match bracket {
        '{' => '}',
        '}' => '{',
        '[' => ']',
        ']' => '[',
        _ => return None,
    })
}

fn holder(node: &Node<'_>, signs: &[char]) -> Option<Range<usize>> {
    match &node.data {
        Data::Text(text) => holds(text, signs).then(|| node.span.clone()),
        Data::List(items) => items.iter().find_map(|item| holder(item, signs)),
        Data::Object(entries) => entries.iter().find_map(|entry| {
            let key = holds(&entry.key, signs).then_some(entry.start..entry.value.span.start);
            key.or_else(|| holder(&entry.value, signs))
        }),
        _ => None,
    }
}

/// Returns whether `text` starts or ends with one of `signs`. A bracket with its other one is of the text.
fn holds(text: &str, signs: &[char]) -> bool {
    let text = text.trim();
    let is_more = |sign: char, other: char| text.matches(sign).count() > text.matches(other).count();
    let is_unpaired = |sign| other_half(sign).is_none_or(|other| is_more(sign, other));
    signs.iter().any(|sign| (text.starts_with(*sign) || text.ends_with(*sign)) && is_unpaired(*sign))
}
