//! Reduces the names of a field or variant to the one that an agent sees; serde may accept several.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{each, is_deprecated};

/// Removes aliases from `schema`. They are accepted in an answer but not asked for.
pub(super) fn drop_aliases(schema: &mut Value) {
    each(schema, &mut drop_own);
}

/// All names of the property `key` of `object`; none if it has only one.
pub(super) fn names_of(object: &Map<String, Value>, key: &str) -> Vec<String> {
    let parts = object.get("allOf").and_then(Value::as_array).into_iter().flatten();
    let parts = parts.filter_map(|part| part.as_object()?.get("oneOf"));
    let names =
        object.get("oneOf").into_iter().chain(parts).filter_map(|choices| FieldNames::of(choices, object));
    let mut all = names.map(|names| [vec![names.first], names.others].concat());
    all.find(|names| names.iter().any(|name| name == key)).unwrap_or_default()
}

fn drop_own(object: &mut Map<String, Value>) {
    if let Some(names) = object.get("oneOf").and_then(|choices| FieldNames::of(choices, object)) {
        object.shift_remove("oneOf");
        names.keep_first(object);
    }
    let Some(Value::Array(all)) = object.get_mut("allOf") else { return };
    let mut rest = Vec::new();
    for part in std::mem::take(all) {
        let choices = part.as_object().filter(|part| part.len() == 1).and_then(|part| part.get("oneOf"));
        match choices.and_then(|choices| FieldNames::of(choices, object)) {
            Some(names) => names.keep_first(object),
            None => rest.push(part),
        }
    }
    if rest.is_empty() {
        object.shift_remove("allOf");
    } else if let Some(all) = object.get_mut("allOf") {
        *all = Value::Array(rest);
    }
}

/// The names of one field.
struct FieldNames {
    first: String,
    others: Vec<String>,
    is_optional: bool,
}

impl FieldNames {
    /// The names in `choices`, which require exactly one of them, or at most one. The first is a
    /// property of `object`, the others are deprecated properties.
    fn of(choices: &Value, object: &Map<String, Value>) -> Option<Self> {
        let (asked, none): (Vec<_>, Vec<_>) =
            choices.as_array()?.iter().partition(|choice| choice.get("required").is_some());
        let is_optional = match none.as_slice() {
            [] => false,
            [none] => **none == json!({ "not": { "anyOf": asked } }),
            _ => return None,
        };
        let names: Vec<_> = asked.iter().map(|choice| name(choice)).collect::<Option<_>>()?;
        let (first, others) = names.split_first()?;
        let is_old = |name: &str| {
            let property = object.get("properties").and_then(|properties| properties.get(name));
            property.map(is_deprecated)
        };
        let is_other = |name: &String| is_old(name) == Some(true);
        let are_names = is_old(first) == Some(false) && others.iter().all(is_other);
        (are_names && (is_optional || none.is_empty()) && !others.is_empty()).then(|| Self {
            first: first.clone(),
            others: others.to_vec(),
            is_optional,
        })
    }

    fn keep_first(self, object: &mut Map<String, Value>) {
        if let Some(Value::Object(properties)) = object.get_mut("properties") {
            let others: HashSet<_> = self.others.iter().collect();
            properties.retain(|name, _| !others.contains(name));
        }
        if self.is_optional {
            return;
        }
        if let Value::Array(required) = object.entry("required").or_insert_with(|| json!([])) {
            required.push(Value::from(self.first));
        }
    }
}

/// The one key that `choice` requires, if it requires nothing else.
fn name(choice: &Value) -> Option<String> {
    let choice = choice.as_object().filter(|choice| choice.len() == 1)?;
    match choice.get("required")?.as_array()?.as_slice() {
        [Value::String(name)] => Some(name.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_of_a_field_stays() {
        let mut schema = json!({
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                "name": {"type": "string"},
                "called": {"type": "string", "deprecated": true},
                "age": {"type": "integer"},
                "years": {"type": "integer", "deprecated": true},
            },
            "required": ["id"],
            "allOf": [
                {"oneOf": [{"required": ["name"]}, {"required": ["called"]}]},
                {"oneOf": [
                    {"required": ["age"]},
                    {"required": ["years"]},
                    {"not": {"anyOf": [{"required": ["age"]}, {"required": ["years"]}]}},
                ]},
            ],
        });
        drop_aliases(&mut schema);
        let expected = json!({
            "type": "object",
            "properties": {"id": {"type": "integer"}, "name": {"type": "string"}, "age": {"type": "integer"}},
            "required": ["id", "name"],
        });
        assert_eq!(schema, expected);
    }

    #[test]
    fn one_name_of_a_variant_stays() {
        let mut schema = json!({"anyOf": [{
            "properties": {"Card": {"type": "string"}, "Plastic": {"type": "string", "deprecated": true}},
            "oneOf": [{"required": ["Card"]}, {"required": ["Plastic"]}],
        }]});
        drop_aliases(&mut schema);
        let expected = json!({"anyOf": [{"properties": {"Card": {"type": "string"}}, "required": ["Card"]}]});
        assert_eq!(schema, expected);
    }

    #[test]
    fn other_choices_stay() {
        let deprecated = json!({"deprecated": true});
        for schema in [
            // Two fields, one of which is required.
            json!({"properties": {"a": {}, "b": {}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            // A field that is deprecated itself.
            json!({"properties": {"a": deprecated}, "required": ["a"]}),
            // More than a name.
            json!({
                "properties": {"a": {}, "b": deprecated, "c": {}},
                "allOf": [{"oneOf": [{"required": ["a"]}, {"required": ["b", "c"]}]}],
            }),
            json!({"properties": {"oneOf": {"enum": [{"oneOf": [{"required": ["a"]}]}]}}}),
        ] {
            let mut dropped = schema.clone();
            drop_aliases(&mut dropped);
            assert_eq!(dropped, schema);
        }
    }
}
