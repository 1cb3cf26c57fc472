//! Objects that lack only their last brackets.

use super::{
    BrokenOff, Reading, Validity,
    envelope::is_submitted,
    node::Node,
    options::{Leniency, ReadingOptions, ReplyEnd},
    read,
    shape::{ROOT, Shapes},
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
/// keys of the contract, or is the call around them. What could follow would change nothing.
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
    let (body, end) = call.map_or((body, ""), |call| (call, CALL_END));
    let text = body.get(start..)?;
    let closers = if end.is_empty() { closers(text, shapes)? } else { closer_of_call(text)? };
    let whole = format!("{body}{closers}{end}");
    let mut reading = read(&whole, shapes, options, validity);
    if !reading.violations.is_empty() || reading.completeness.is_truncated() {
        return None;
    }
    // A lost bracket of the arguments would have made one of their members another one's.
    if !end.is_empty() && reading.changes.iter().any(|change| change.kind == ChangeKind::UnknownKey) {
        return None;
    }
    let end = body.len()..body.len();
    let change = Change::lossless(Path::root(), end, ChangeKind::Bracket, String::new());
    reading.changes.push(Change { after: closers, ..change });
    Some(reading)
}

/// The bracket that `text` lacks, if it is a call of `submit` with whole arguments.
fn closer_of_call(text: &str) -> Option<String> {
    let value = serde_json::from_str(&format!("{text}}}")).ok()?;
    (text.ends_with('}') && is_submitted(&Node::of(&value))).then(|| "}".to_owned())
}

/// The brackets that `text` lacks at its end.
fn closers(text: &str, shapes: &Shapes) -> Option<String> {
    // A number or a constant may go on.
    if !text.ends_with(['"', '}', ']']) {
        return None;
    }
    // The bracket that lacks may be at the end of the string.
    if text.strip_suffix('"').is_some_and(|string| string.trim_end().ends_with(['}', ']'])) {
        return None;
    }
    // The missing bracket may be that of a map, which has taken in what came after it.
    if !text.ends_with('"') && shapes.keys().takes_any {
        return None;
    }
    let broken = BrokenOff::of(text).filter(|broken| (1..=MAX_LEVELS).contains(&broken.levels()))?;
    let innermost = broken.levels() - 1;
    if broken.string().is_some() || broken.kept(innermost) < text.len() {
        return None;
    }
    let value: serde_json::Value = serde_json::from_str(&broken.closed(innermost)).ok()?;
    let (mut object, mut id) = (&value, ROOT);
    for level in 0..=innermost {
        let shape = shapes.get(id);
        let members = object.as_object().filter(|_| !broken.is_list(level))?;
        let has = |name: &String| members.contains_key(name);
        let mut known = shape.properties.iter().filter(|property| !property.is_alias);
        if shape.properties.is_empty() || !known.all(|property| has(&property.name)) {
            return None;
        }
        if level < innermost {
            let path = broken.path(level + 1)?;
            let Some(Segment::Key(key)) = path.segments().last() else { return None };
            let key: &str = key;
            object = members.get(key)?;
            id = shape.property(key)?;
        }
    }
    Some("}".repeat(broken.levels()))
}
