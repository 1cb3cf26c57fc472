//! Keywords that depend on their siblings: `additionalProperties` applies to keys that the
//! `properties` beside it do not name, and `items` to elements after the `prefixItems` beside it.
//!
//! Where several schemas apply to one value, each has its own siblings. Here two such groups become
//! one with the same meaning.

use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value, json};

const OF_OBJECTS: [&str; 3] = ["properties", "patternProperties", "additionalProperties"];
const OF_LISTS: [&str; 2] = ["prefixItems", "items"];

/// Why `patternProperties` were not merged exactly.
pub(super) const BY_PATTERN: &str = "stands beside other names";

/// Merges the groups of `more` into `known`, and removes them from `more`. Returns whether the
/// result accepts more than both.
pub(super) fn merge(known: &mut Map<String, Value>, more: &mut Map<String, Value>) -> bool {
    let (ours, theirs) = (take(known, &OF_LISTS), take(more, &OF_LISTS));
    known.extend(match (ours.is_empty(), theirs.is_empty()) {
        (_, true) => ours,
        (true, _) => theirs,
        _ => lists(&ours, &theirs),
    });
    let (ours, theirs) = (take(known, &OF_OBJECTS), take(more, &OF_OBJECTS));
    let (merged, is_wider) = match (ours.is_empty(), theirs.is_empty()) {
        (_, true) => (ours, false),
        (true, _) => (theirs, false),
        _ => objects(&NameConstraints::of(ours), &NameConstraints::of(theirs)),
    };
    known.extend(merged);
    is_wider
}

fn take(keywords: &mut Map<String, Value>, names: &[&str]) -> Map<String, Value> {
    names.iter().filter_map(|name| keywords.shift_remove_entry(*name)).collect()
}

/// A schema that means all of `parts`.
fn both(parts: impl IntoIterator<Item = Value>) -> Value {
    let mut all: Vec<Value> = Vec::new();
    for part in parts {
        if part == false {
            return part;
        }
        if part != true && !all.contains(&part) {
            all.push(part);
        }
    }
    match all.len() {
        0 => Value::Bool(true),
        1 => all.remove(0),
        _ => json!({ "allOf": all }),
    }
}

/// The same for keywords that may be missing.
fn both_if_any(one: Option<&Value>, other: Option<&Value>) -> Option<Value> {
    (one.is_some() || other.is_some()).then(|| both(one.into_iter().chain(other).cloned()))
}

fn lists(ours: &Map<String, Value>, theirs: &Map<String, Value>) -> Map<String, Value> {
    let first = |list: &Map<String, Value>| {
        list.get("prefixItems").and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let (our_first, their_first) = (first(ours), first(theirs));
    let mut items = both_if_any(ours.get("items"), theirs.get("items"));
    let mut merged = Vec::new();
    for index in 0..our_first.len().max(their_first.len()) {
        let one = our_first.get(index).or_else(|| ours.get("items"));
        let other = their_first.get(index).or_else(|| theirs.get("items"));
        match both(one.into_iter().chain(other).cloned()) {
            // The list ends here.
            Value::Bool(false) => {
                items = Some(Value::Bool(false));
                break;
            }
            item => merged.push(item),
        }
    }
    let mut list = Map::new();
    if !merged.is_empty() {
        list.insert("prefixItems".to_owned(), Value::Array(merged));
    }
    list.extend(items.map(|items| ("items".to_owned(), items)));
    list
}

/// Maximum bytes of a compiled pattern that is tried on names.
const MAX_PATTERN: usize = 1 << 20;

/// One schema's constraints on the names in an object.
struct NameConstraints {
    properties: Map<String, Value>,
    patterns: Map<String, Value>,
    /// The compiled patterns; `None` if one of them cannot be tried.
    tried: Option<Vec<Regex>>,
    rest: Option<Value>,
    has_properties: bool,
}

impl NameConstraints {
    fn of(mut group: Map<String, Value>) -> Self {
        let rest = group.shift_remove("additionalProperties");
        let mut take = |name: &str| match group.shift_remove(name) {
            Some(Value::Object(named)) => Some(named),
            _ => None,
        };
        let properties = take("properties");
        let has_properties = properties.is_some();
        let patterns = take("patternProperties").unwrap_or_default();
        let compiled = |pattern: &String| RegexBuilder::new(pattern).size_limit(MAX_PATTERN).build().ok();
        let tried = patterns.keys().map(compiled).collect();
        Self { properties: properties.unwrap_or_default(), patterns, tried, rest, has_properties }
    }

    fn is_closed(&self) -> bool {
        self.patterns.is_empty() && self.rest == Some(Value::Bool(false))
    }

    fn is_open(&self) -> bool {
        self.rest.as_ref().is_none_or(|rest| *rest == true)
    }

    /// Returns the schemas that apply to `name`; `None` if a pattern cannot be tried.
    fn at(&self, name: &str) -> Option<Vec<Value>> {
        let mut found: Vec<Value> = self.properties.get(name).cloned().into_iter().collect();
        for (pattern, schema) in self.tried.as_ref()?.iter().zip(self.patterns.values()) {
            if pattern.is_match(name) {
                found.push(schema.clone());
            }
        }
        if found.is_empty() {
            found.extend(self.rest.clone());
        }
        Some(found)
    }
}

fn objects(ours: &NameConstraints, theirs: &NameConstraints) -> (Map<String, Value>, bool) {
    let mut is_wider = false;
    let mut properties = Map::new();
    let names = ours.properties.keys();
    for name in names.chain(theirs.properties.keys().filter(|name| !ours.properties.contains_key(*name))) {
        let mut at = |named: &NameConstraints| {
            named.at(name).unwrap_or_else(|| {
                is_wider = true;
                named.properties.get(name).cloned().into_iter().collect()
            })
        };
        let all = at(ours).into_iter().chain(at(theirs));
        properties.insert(name.clone(), both(all));
    }
    let mut merged = Map::new();
    if ours.has_properties || theirs.has_properties {
        merged.insert("properties".to_owned(), Value::Object(properties));
    }
    let is_closed = ours.is_closed() || theirs.is_closed();
    let mut rest = both_if_any(ours.rest.as_ref(), theirs.rest.as_ref());
    let has_patterns = !ours.patterns.is_empty() || !theirs.patterns.is_empty();
    if has_patterns && !is_closed {
        let mut patterns = ours.patterns.clone();
        for (pattern, schema) in &theirs.patterns {
            let known = patterns.get(pattern).cloned();
            patterns.insert(pattern.clone(), both(known.into_iter().chain([schema.clone()])));
        }
        merged.insert("patternProperties".to_owned(), Value::Object(patterns));
        // `rest` of one side applies to the patterns of the other.
        let reaches =
            |one: &NameConstraints, other: &NameConstraints| !one.is_open() && !other.patterns.is_empty();
        if reaches(ours, theirs) || reaches(theirs, ours) {
            is_wider = true;
            rest = Some(Value::Bool(true));
        }
    }
    merged.extend(rest.map(|rest| ("additionalProperties".to_owned(), rest)));
    (merged, is_wider)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: &Value, other: &Value, expected: &Value) -> bool {
        let mut known = one.as_object().unwrap().clone();
        let mut more = other.as_object().unwrap().clone();
        let is_wider = merge(&mut known, &mut more);
        assert_eq!(Value::Object(known), *expected);
        assert!(more.is_empty());
        is_wider
    }

    #[test]
    fn the_rest_of_each_side_applies_to_the_names_of_the_other() {
        let (text, whole) = (json!({"type": "string"}), json!({"type": "integer"}));
        let closed = json!({"properties": {"a": text}, "additionalProperties": false});
        let open = json!({"properties": {"b": whole}});
        let merged = json!({"properties": {"a": text, "b": false}, "additionalProperties": false});
        assert!(!check(&closed, &open, &merged));
        let map = json!({"additionalProperties": whole});
        let merged = json!({
            "properties": {"a": {"allOf": [text, whole]}},
            "additionalProperties": whole,
        });
        assert!(!check(&json!({"properties": {"a": text}}), &map, &merged));
    }

    #[test]
    fn patterns_are_tried_on_names() {
        let text = json!({"type": "string"});
        let by_pattern = json!({"patternProperties": {"^a": text}});
        let merged = json!({"properties": {"a": {"allOf": [{"minLength": 1}, text]}, "b": true}, "additionalProperties": false});
        let closed = json!({"properties": {"a": {"minLength": 1}, "b": true}, "additionalProperties": false});
        assert!(!check(&closed, &by_pattern, &merged));
        let map = json!({"additionalProperties": {"maxLength": 3}});
        let wider = json!({"patternProperties": {"^a": text}, "additionalProperties": true});
        assert!(check(&map, &by_pattern, &wider));
    }

    #[test]
    fn the_items_of_each_side_apply_to_the_first_elements_of_the_other() {
        let (text, whole) = (json!({"type": "string"}), json!({"type": "integer"}));
        let tuple = json!({"prefixItems": [text], "items": false});
        let list = json!({"items": whole});
        let merged = json!({"prefixItems": [{"allOf": [text, whole]}], "items": false});
        assert!(!check(&tuple, &list, &merged));
        let ended = json!({"prefixItems": [text], "items": false});
        assert!(!check(&tuple, &json!({"prefixItems": [text, whole]}), &ended));
        assert!(!check(&json!({"items": text}), &json!({"items": text}), &json!({"items": text})));
    }
}
