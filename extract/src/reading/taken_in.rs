//! Strings that took in what belongs beside them: the whole object again, the next member, or the
//! next parameter of a call.

use std::{cell::LazyCell, collections::HashMap};

use memchr::memchr3;
use serde_json::{Map, Value};

use super::{keys::Keys, node::Node, parse, prose::unfenced};

/// Marks before the name of a parameter, and after it, as the templates of some models write calls.
const PARAMETERS: [(&str, &str); 3] =
    [("parameter name=\"", "\""), ("parameter=", ">"), ("<arg_key>", "</arg_key>")];

/// Returns whether `text` may have taken something in. Most strings have not.
pub(super) fn may_take_in(text: &str) -> bool {
    let has_mark = || PARAMETERS.iter().any(|(mark, _)| text.contains(mark));
    text.starts_with(['{', '`'])
        || memchr3(b'"', b'\'', b'<', text.as_bytes()).is_some()
            && (text.contains("\":")
                || text.contains("':")
                || text.contains('<') && (text.trim_end().ends_with('>') || has_mark()))
}

/// Returns whether a string of the object `node` took in others of the contract's `keys`, or the object
/// itself.
pub(super) fn took_in(node: &Node<'_>, keys: &Keys) -> bool {
    let members = || node.entries().iter().map(|entry| (&*entry.key, &entry.value));
    let present = LazyCell::new(|| members().filter(|(key, _)| keys.has(key)).collect::<HashMap<_, _>>());
    let strings = members().filter_map(|(key, value)| Some((key, value.text()?)));
    strings.filter(|(_, text)| may_take_in(text)).any(|(key, text)| {
        let is_absent = |name: &str| keys.has(name) && !present.contains_key(name);
        repeats_object(key, text, &present, keys)
            || has_parameter(text, is_absent)
            || ['"', '\''].into_iter().any(|quote| has_member(text, quote, is_absent))
            || closes_tag(text, key)
    })
}

/// Returns whether `text`, under `key`, is the JSON of the object that it is in: it has the known members
/// that are `present` there, and no unknown ones. With another member beside it, it may be content.
fn repeats_object(key: &str, text: &str, present: &HashMap<&str, &Node<'_>>, keys: &Keys) -> bool {
    let inside = unfenced(text);
    if !present.contains_key(key) || !inside.starts_with('{') {
        return false;
    }
    let Some(object) = object(inside) else { return false };
    let is_repeated = |(name, value): (&&str, &&Node<'_>)| {
        object.get(*name).is_some_and(|inner| *name == key || value.is_value(inner))
    };
    object.len() >= present.len()
        && object.keys().all(|name| keys.has(name))
        && present.iter().all(is_repeated)
}

/// The object that `text` is the JSON of, or the literal of Python.
fn object(text: &str) -> Option<Map<String, Value>> {
    let value = if text.starts_with("{'") {
        parse::whole(text, 0, MAX_DEPTH)?.node.into_value()
    } else {
        serde_json::from_str(text).ok()?
    };
    if let Value::Object(object) = value { Some(object) } else { None }
}

/// Most levels of brackets in such an object.
const MAX_DEPTH: usize = 64;

/// Returns whether `text` has the mark of a parameter whose name `is_absent`.
fn has_parameter(text: &str, is_absent: impl Fn(&str) -> bool) -> bool {
    PARAMETERS.iter().any(|(mark, end)| {
        let mut rests = text.split(mark).skip(1);
        rests.any(|rest| rest.split_once(end).is_some_and(|(name, _)| is_absent(name)))
    })
}

/// Returns whether a quote in `text` that closes nothing is followed by a member whose name `is_absent`: the
/// string was closed after the next member, `Bo", "age": 41`.
fn has_member(text: &str, quote: char, is_absent: impl Fn(&str) -> bool) -> bool {
    // The parts after the first quote, the third one and so on.
    let mut parts = text.split(quote).skip(1);
    let mut after = parts.next();
    while let (Some(comma), Some(name), Some(rest)) = (after, parts.next(), parts.next()) {
        if comma.trim() == "," && is_absent(name) && rest.trim_start().starts_with(':') {
            return true;
        }
        after = Some(rest);
    }
    false
}

/// Returns whether `text` has the tag that closes `key`, at its end or before another tag, and does not open it:
/// `Ann</name>`, `Ann</name>\n<age>41</age>`.
fn closes_tag(text: &str, key: &str) -> bool {
    let closed = text.match_indices("</").find_map(|(at, mark)| {
        let rest = text[at + mark.len()..].strip_prefix(key)?.strip_prefix('>')?.trim_start();
        (rest.is_empty() || rest.starts_with('<')).then(|| &text[..at])
    });
    closed.is_some_and(|inside| !inside.split('<').skip(1).any(|tag| tag.starts_with(key)))
}
