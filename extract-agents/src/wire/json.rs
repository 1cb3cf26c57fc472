//! Writes JSON into a buffer, without a tree in between.

use extract::agent::Turn;
use serde_json::{Map, Value};

/// Writes `text` as a JSON string.
pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    // Neither a string nor a value fails to serialize, and a buffer takes everything.
    let _ = serde_json::to_writer(out, text);
}

pub(super) fn value(out: &mut Vec<u8>, value: &Value) {
    let _ = serde_json::to_writer(out, value);
}

/// Writes `"name":` as the next member of an object that is being written.
pub(super) fn key(out: &mut Vec<u8>, name: &str) {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    string(out, name);
    out.push(b':');
}

/// Writes `"name":"text"` as the next member of an object that is being written.
pub(super) fn text_member(out: &mut Vec<u8>, name: &str, text: &str) {
    key(out, name);
    string(out, text);
}

/// Begins the next item of a list that is being written.
pub(super) fn item(out: &mut Vec<u8>) {
    if out.last() != Some(&b'[') {
        out.push(b',');
    }
}

/// Writes `{"text":"…"}`, a part of a message.
pub(super) fn text_part(out: &mut Vec<u8>, text: &str) {
    out.push(b'{');
    text_member(out, "text", text);
    out.push(b'}');
}

/// Writes `{"text":"…"}` for each of `turns`, as the items of a list.
pub(super) fn text_parts(out: &mut Vec<u8>, turns: &[Turn]) {
    for turn in turns {
        item(out);
        text_part(out, turn.text());
    }
}

/// A member that is serialized already: the path to its object, its name and its JSON.
pub(super) struct Serialized<'s> {
    pub(super) object: &'s str,
    pub(super) name: &'s str,
    pub(super) json: &'s [u8],
}

/// Writes `members` into the object that is being written, and inserts `serialized` at its path.
pub(super) fn members(out: &mut Vec<u8>, members: &Map<String, Value>, serialized: Option<&Serialized<'_>>) {
    for (name, member) in members {
        key(out, name);
        match (serialized.filter(|serialized| serialized.object == name), member) {
            (Some(serialized), Value::Object(inner)) => {
                out.push(b'{');
                write_serialized(out, serialized);
                self::members(out, inner, None);
                out.push(b'}');
            }
            _ => value(out, member),
        }
    }
    if let Some(serialized) = serialized.filter(|serialized| !members.contains_key(serialized.object)) {
        key(out, serialized.object);
        out.push(b'{');
        write_serialized(out, serialized);
        out.push(b'}');
    }
}

fn write_serialized(out: &mut Vec<u8>, serialized: &Serialized<'_>) {
    key(out, serialized.name);
    out.extend_from_slice(serialized.json);
}

/// Adds `extra` to `members`. Objects are merged; anything else in `extra` takes precedence.
pub(super) fn merge(members: &mut Map<String, Value>, extra: &Map<String, Value>) {
    for (name, value) in extra {
        match (members.get_mut(name), value) {
            (Some(Value::Object(known)), Value::Object(more)) => merge(known, more),
            _ => {
                members.insert(name.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(of: &Value, serialized: Option<&Serialized<'_>>) -> Value {
        let mut out = vec![b'{'];
        members(&mut out, of.as_object().unwrap(), serialized);
        out.push(b'}');
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn a_serialized_member_is_put_into_its_object() {
        let part = Serialized { object: "config", name: "schema", json: b"{\"type\":\"object\"}" };
        let schema = json!({"type": "object"});
        assert_eq!(written(&json!({}), Some(&part)), json!({"config": {"schema": schema}}));
        assert_eq!(
            written(&json!({"a": 1, "config": {"b": [2]}, "c": "}"}), Some(&part)),
            json!({"a": 1, "config": {"schema": schema, "b": [2]}, "c": "}"})
        );
        assert_eq!(written(&json!({"config": {}}), None), json!({"config": {}}));
    }

    #[test]
    fn extra_members_take_precedence_and_objects_are_merged() {
        let mut members = json!({"a": 1, "o": {"x": 1, "y": {"z": 2}}}).as_object().unwrap().clone();
        merge(&mut members, json!({"a": [2], "o": {"y": {"w": 3}, "x": null}}).as_object().unwrap());
        assert_eq!(Value::Object(members), json!({"a": [2], "o": {"x": null, "y": {"z": 2, "w": 3}}}));
    }
}
