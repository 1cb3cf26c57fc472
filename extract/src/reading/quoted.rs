//! Replies in quotes: one string, or an envelope that holds one, whose text is the answer.
//!
//! The text is read as a reply of its own. So what stands beside a value in it counts as it does without quotes.

use super::{
    envelope::{Envelope, are_known, called_by_name, held, is_submitted},
    node::{Data, Node},
    prose::unfenced,
    shape::{ROOT, Shapes, kind},
    spelling::bare,
    strict,
};

/// Most envelopes around a text in quotes.
const MAX_ENVELOPES: usize = 6;

/// The text with JSON in it that `reply` has in quotes: as one string, as the arguments of `submit`, or in
/// another envelope of strict JSON.
pub(super) fn quoted_text(reply: &str, shapes: &Shapes) -> Option<String> {
    let (text, root) = (unfenced(reply), shapes.get(ROOT));
    let called = text.strip_prefix("<tool_call>").and_then(|text| text.strip_suffix("</tool_call>"));
    let text = called.map_or(text, str::trim);
    // Most objects have no JSON in their strings.
    let may_hold = || text.contains("\\\"") || text.contains("\"{") || text.contains("\"[");
    let is_meant = text.starts_with('"') || text.starts_with(['{', '[']) && may_hold();
    let value = is_meant.then(|| strict::parse(text, shapes.keys()))??.value;
    let all = Node::of(&value);
    let (mut node, mut is_told) = (&all, !root.allows(kind::TEXT));
    for _ in 0..MAX_ENVELOPES {
        let (kind, inner) = match &node.data {
            Data::Text(text) => return (is_told && text.contains(['{', '['])).then(|| text.to_string()),
            Data::List(items) if are_known(items) => match &items[..] {
                [item] => (Envelope::Known, item),
                _ => return None,
            },
            Data::Object(entries) => {
                let (kind, entry) = held(entries)?;
                let is_known =
                    root.names.contains(&*entry.key) || root.spellings.contains_key(&bare(&entry.key));
                if is_known || kind == Envelope::Single {
                    return None;
                }
                (kind, &entry.value)
            }
            _ => return None,
        };
        let is_call = called_by_name(node).is_some();
        if is_call && !is_submitted(node) || !is_call && root.takes_any_object() {
            return None;
        }
        // What is only called the answer may be a text about it.
        let is_json = || inner.text().is_some_and(|text| text.trim_start().starts_with(['{', '[']));
        if kind != Envelope::Known && inner.text().is_some() && !is_json() {
            return None;
        }
        is_told |= is_call;
        node = inner;
    }
    None
}
