//! Lists without brackets, for a contract that wants a list: one element per line, or all on one
//! line.

use std::ops::Range;

use super::super::{
    node::{Data, Node},
    note::{self, Note},
    parse::{self, number},
};
use crate::vocabulary::change::{ChangeKind, Loss};

/// The elements of the list in `reply` from byte `start` on, with the changes made to read them.
/// `None` if the text may be something else, such as prose or one number with commas.
pub(super) fn list(reply: &str, start: usize, max_depth: usize) -> Option<(Node<'_>, Vec<Note>)> {
    let places = places(reply, start);
    let whole = reply.get(start..)?.trim();
    if places.len() < 2 || whole.contains(['{', '[']) || is_one_number(whole) {
        return None;
    }
    let are_marked = places.iter().all(|place| unmarked(reply, place).start > place.start);
    // `- a` and below it `  - b` are not of one list.
    let indent = |place: &Range<usize>| {
        let before = &reply[..place.start];
        before.len() - before.trim_end_matches([' ', '\t']).len()
    };
    if are_marked && places.iter().any(|place| indent(place) != indent(&places[0])) {
        return None;
    }
    let span = places[0].start..places[places.len() - 1].end;
    let mut notes = vec![Note::new(ChangeKind::Bracket, Loss::Lossless, span.clone()).after("[…]")];
    let mut items = Vec::new();
    for place in &places {
        let place = if are_marked { unmarked(reply, place) } else { place.clone() };
        let parsed = parse::whole(&reply[..place.end], place.start, max_depth)?;
        let is_word = matches!(parsed.node.data, Data::Text(_)) && !is_quoted(&reply[place]);
        // Words alone are prose, unless every one is marked as an element.
        if parsed.is_cut || is_word && !are_marked {
            return None;
        }
        note::extend(&mut notes, parsed.notes);
        items.push(parsed.node);
    }
    Some((Node::new(span, Data::List(items)), notes))
}

/// Returns where the elements are: on lines, otherwise between commas.
fn places(reply: &str, start: usize) -> Vec<Range<usize>> {
    let parts = |separator: char| {
        let mut at = start;
        let mut places = Vec::new();
        for part in reply[start..].split(separator) {
            let text = part.trim().trim_end_matches(',').trim_end();
            let begin = at + (part.len() - part.trim_start().len());
            if !text.is_empty() {
                places.push(begin..begin + text.len());
            }
            at += part.len() + separator.len_utf8();
        }
        places
    };
    let lines = parts('\n');
    if lines.len() > 1 { lines } else { parts(',') }
}

/// `place` without a bullet or number at its start.
fn unmarked(reply: &str, place: &Range<usize>) -> Range<usize> {
    let text = &reply[place.clone()];
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match text.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 => digits + 1,
        Some(b'-' | b'*') if digits == 0 => 1,
        _ if text.starts_with('•') => '•'.len_utf8(),
        _ => return place.clone(),
    };
    let rest = &text[mark..];
    let length = rest.len() - rest.trim_start().len();
    if length == 0 || length == rest.len() { place.clone() } else { place.start + mark + length..place.end }
}

fn is_quoted(text: &str) -> bool {
    ['"', '\''].iter().any(|quote| text.len() > 1 && text.starts_with(*quote) && text.ends_with(*quote))
}

/// `1,250` and `12,5` may be one number.
fn is_one_number(text: &str) -> bool {
    let without = text.replace([',', '.'], "");
    let is_grouped = || number::grouped(text).is_some() || text.split(',').count() == 2;
    !text.contains('\n')
        && !without.is_empty()
        && without.bytes().all(|byte| byte.is_ascii_digit())
        && is_grouped()
}
