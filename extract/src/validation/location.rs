//! Places that the validator names, in the value and in the schema.

use std::borrow::Cow;

use jsonschema::paths::Location;
use serde_json::Value;

use crate::path::{Path, Segment};

/// What the `$ref` of `schema` stands for.
pub(super) fn target<'s>(schema: &'s Value, root: &'s Value) -> Option<&'s Value> {
    referred(schema.get("$ref")?.as_str()?, root)
}

/// What `reference` stands for: a JSON Pointer into `root`, or the name of an anchor in it.
pub(super) fn referred<'s>(reference: &str, root: &'s Value) -> Option<&'s Value> {
    let (base, fragment) = reference.split_once('#')?;
    if !base.is_empty() && root.get("$id").and_then(Value::as_str) != Some(base) {
        return None;
    }
    if fragment.is_empty() || fragment.starts_with('/') {
        return resolve(fragment, root).or_else(|| resolve(&decoded(fragment)?, root));
    }
    anchored(fragment, root)
}

/// `found`, or what it refers to from `root`.
pub(super) fn followed<'s>(found: &'s Value, root: &'s Value) -> &'s Value {
    let mut found = found;
    // A chain of references longer than this is a circle.
    for _ in 0..16 {
        let Some(target) = target(found, root) else { break };
        found = target;
    }
    found
}

/// The schema that has the name `anchor`.
fn anchored<'s>(anchor: &str, part: &'s Value) -> Option<&'s Value> {
    let is_named =
        ["$anchor", "$dynamicAnchor"].iter().any(|name| part.get(name).is_some_and(|name| name == anchor));
    match part {
        _ if is_named => Some(part),
        Value::Object(object) => object.values().find_map(|part| anchored(anchor, part)),
        Value::Array(list) => list.iter().find_map(|part| anchored(anchor, part)),
        _ => None,
    }
}

/// `fragment` of a URI without its percent-encoding (RFC 3986, section 2.1).
fn decoded(fragment: &str) -> Option<String> {
    let mut parts = fragment.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

/// `location` as a path. Only `value` knows whether a step that looks like a number is one: `0` may be a key too.
pub(crate) fn path_of(location: &Location, value: &Value) -> Path {
    // Most violations lie at most four steps deep.
    let mut segments: Vec<Segment> = Vec::with_capacity(4);
    let (mut at, mut reached) = (Some(value), 0);
    for step in steps(location.as_str()) {
        // What lies between two steps that look like numbers need not be looked up for itself.
        let index = step.parse().ok().filter(|_| {
            at = segments[reached..].iter().fold(at, |at, segment| segment.within(at?));
            reached = segments.len();
            !at.is_some_and(Value::is_object)
        });
        segments.push(index.map_or_else(|| Segment::Key((&*step).into()), Segment::Index));
    }
    Path::from(segments)
}

/// What a JSON Pointer leads to; `Value::pointer` without an allocation for each step.
fn resolve<'v>(pointer: &str, root: &'v Value) -> Option<&'v Value> {
    steps(pointer).try_fold(root, |value, step| entry(value, &step))
}

fn entry<'v>(value: &'v Value, step: &str) -> Option<&'v Value> {
    match value {
        Value::Object(object) => object.get(step),
        Value::Array(list) => list.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}

/// The unescaped steps of a JSON Pointer.
fn steps(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(|step| {
        if step.contains('~') {
            Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
        } else {
            Cow::Borrowed(step)
        }
    })
}
