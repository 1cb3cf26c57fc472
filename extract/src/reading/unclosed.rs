//! Objects that lack only their last brackets.

use serde_json::{Map, Value};

use super::{
    BrokenOff, Reading, Validity,
    envelope::called_by_name,
    node::Node,
    options::{Leniency, ReadingOptions, ReplyEnd},
    read,
    shape::{ROOT, Shape, Shapes},
};
use crate::vocabulary::{
    change::{Change, ChangeKind},
    path::{Path, Segment},
};

/// Most open brackets that are closed.
const MAX_LEVELS: usize = 8;

/// The tag after a call in the text, with its last bracket before it.
const CALL_END: &str = "</tool_call>";

/// Reads `reply` again with the brackets that it lacks at its end, if the first `reading` found nothing else
/// wrong: the agent has finished, every open bracket is of an object, and every one of these has all
/// keys of the contract. Of a call, only its own bracket may lack. What could follow would change
/// nothing.
pub(super) fn closed(
    reply: &str,
    reading: &Reading,
    shapes: &Shapes,
    options: &ReadingOptions,
    validity: &dyn Validity,
) -> Option<Reading> {
    let is_finished = options.reply_end == ReplyEnd::Whole && options.leniency != Leniency::Strict;
    let start = reading.cut_from.filter(|_| is_finished)?;
    let body = reply.trim_end();
    let call = body.strip_suffix(CALL_END).map(str::trim_end);
    let (body, tag) = call.map_or((body, ""), |call| (call, CALL_END));
    let text = body.get(start..)?;
    // The bracket that lacks may be at the end of the string. The missing bracket
    // may be that of a map, which has taken in what came after it.
    let is_in_string = text.strip_suffix('"').is_some_and(|string| string.trim_end().ends_with(['}', ']']));
    // A constant does not go on, and neither does a number that a line break follows.
    let is_constant = || ["true", "false", "null"].iter().any(|constant| text.ends_with(constant));
    let is_number = || reply[body.len()..].contains('\n') && text.ends_with(|c: char| c.is_ascii_digit());
    let is_ended = || is_constant() || is_number();
    if !text.ends_with(['"', '}', ']']) && !is_ended()
        || is_in_string
        || !text.ends_with('"') && shapes.keys().takes_any
        || !tag.is_empty() && !is_call_without_bracket(text, shapes)
    {
        return None;
    }
    // With one blank after it, a number is complete.
    let closers = if tag.is_empty() { closers(&format!("{text} "), shapes)? } else { "}".to_owned() };
    let whole = format!("{body}{closers}{tag}");
    let mut reading = read(&whole, shapes, options, validity);
    if !reading.violations.is_empty() || reading.completeness.is_truncated() {
        return None;
    }
    let at = body.len()..body.len();
    let change = Change::lossless(Path::root(), at, ChangeKind::Bracket, String::new());
    reading.changes.push(Change { after: closers, ..change });
    Some(reading)
}

/// Returns whether `text` is a call that lacks only its own bracket: the arguments, and the last objects
/// in them, have all keys of the contract, so none of them has taken in what belongs to another one.
fn is_call_without_bracket(text: &str, shapes: &Shapes) -> bool {
    let Ok(call) = serde_json::from_str::<Value>(&format!("{text}}}")) else { return false };
    let Some((_, arguments)) = call.as_object().and_then(|call| call.iter().next_back()) else {
        return false;
    };
    let (mut object, mut shape) = (arguments, shapes.get(ROOT));
    loop {
        let Some(members) = object.as_object().filter(|members| has_all(shape, members)) else {
            return false;
        };
        let Some((key, last)) = members.iter().next_back().filter(|(_, last)| last.is_object()) else {
            break;
        };
        let Some(id) = shape.property(key) else { return false };
        (object, shape) = (last, shapes.get(id));
    }
    called_by_name(&Node::of(&call)).is_some()
}

/// Returns whether `members` have all keys of `shape`.
fn has_all(shape: &Shape, members: &Map<String, Value>) -> bool {
    let mut known = shape.properties.iter().filter(|property| !property.is_alias);
    !shape.properties.is_empty() && known.all(|property| members.contains_key(&property.name))
}

/// The brackets that `text` lacks at its end.
fn closers(text: &str, shapes: &Shapes) -> Option<String> {
    let broken = BrokenOff::of(text).filter(|broken| (1..=MAX_LEVELS).contains(&broken.levels()))?;
    let innermost = broken.levels() - 1;
    if broken.string().is_some() || broken.kept(innermost) < text.trim_end().len() {
        return None;
    }
    let value: Value = serde_json::from_str(&broken.closed(innermost)).ok()?;
    let (mut object, mut shape) = (&value, shapes.get(ROOT));
    for level in 0..=innermost {
        let members = object.as_object().filter(|_| !broken.is_list(level))?;
        if !has_all(shape, members) {
            return None;
        }
        if level < innermost {
            let path = broken.path(level + 1)?;
            let Some(Segment::Key(key)) = path.segments().last() else { return None };
            let key: &str = key;
            object = members.get(key)?;
            shape = shapes.get(shape.property(key)?);
        }
    }
    Some("}".repeat(broken.levels()))
}
