//! The schema as an agent sees it: without parts that cost tokens but do not help a model, and without
//! what only validation needs of flattened fields.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::{
    each, is_deprecated, marks,
    view::keywords::{COMPOSING, composed, list, named, required, types},
};

/// The bounds of integer types of 32 bits and more. Like the bounds of `f32`, they are still
/// enforced, but nobody exceeds them by mistake.
const WIDE: [i128; 6] = [
    i32::MIN as i128,
    i32::MAX as i128,
    u32::MAX as i128,
    i64::MIN as i128,
    i64::MAX as i128,
    u64::MAX as i128,
];

/// The largest number that rounds to a finite `f32`: one double below the middle between `f32::MAX`
/// and the next power of two. serde reads larger numbers as infinity.
pub(crate) const F32_MAX: f64 = 3.402_823_567_797_336_2e38;

/// `schema` as compact JSON, without `$schema`, without the bounds of wide number types, and with
/// only one name for each field.
pub(crate) fn shown(schema: &Value) -> String {
    let mut schema = schema.clone();
    if let Some(object) = schema.as_object_mut() {
        object.shift_remove("$schema");
    }
    drop_marks(&mut schema);
    drop_aliases(&mut schema);
    drop_wide_bounds(&mut schema);
    schema.to_string()
}

/// Removes the keywords of this library.
pub(crate) fn drop_marks(schema: &mut Value) {
    each(schema, &mut |object| {
        for mark in marks::ALL {
            object.shift_remove(mark);
        }
    });
}

fn drop_wide_bounds(schema: &mut Value) {
    each(schema, &mut |object| {
        if let Some(name) = object.get("type").cloned() {
            object.retain(|key, value| !is_wide_bound(&name, key, value));
        }
    });
}

/// Returns whether the keyword of a number only repeats the width of its Rust type. `type_` is the
/// `type` beside it.
pub(super) fn is_wide_bound(type_: &Value, keyword: &str, bound: &Value) -> bool {
    if !matches!(keyword, "minimum" | "maximum") {
        return false;
    }
    let whole = bound.as_number().and_then(serde_json::Number::as_i128);
    let is_of_integer = || whole.is_some_and(|bound| WIDE.contains(&bound));
    let is_of_f32 = || bound.as_f64().is_some_and(|bound| bound.abs() == F32_MAX);
    let kinds = types(type_);
    kinds.contains(&"integer") && is_of_integer() || kinds.contains(&"number") && is_of_f32()
}

/// Removes aliases from `schema`. They are accepted in an answer but not asked for.
pub(super) fn drop_aliases(schema: &mut Value) {
    each(schema, &mut |object| {
        drop_repeated(object);
        drop_own(object);
    });
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
    /// Other keys beside which it is required.
    beside: Vec<String>,
}

impl FieldNames {
    /// The names in `choices`, which require exactly one of them, or at most one. The first is a
    /// property of `object`, the others are deprecated properties.
    fn of(choices: &Value, object: &Map<String, Value>) -> Option<Self> {
        let (asked, none): (Vec<_>, Vec<_>) =
            choices.as_array()?.iter().partition(|choice| choice.get("required").is_some());
        // A field of a flattened `Option` is absent where all of its keys are.
        let absent: &[Value] = match none.as_slice() {
            [] => &[],
            [none] => {
                none.as_object().filter(|none| none.len() == 1)?.get("not")?.get("anyOf")?.as_array()?
            }
            _ => return None,
        };
        let is_optional = !none.is_empty();
        let names = |choices: &[&Value]| -> Option<Vec<String>> {
            choices.iter().map(|choice| only_required(choice).map(str::to_owned)).collect()
        };
        let (names, mut beside) = (names(&asked)?, names(&absent.iter().collect::<Vec<_>>())?);
        let absent: HashSet<_> = beside.iter().cloned().collect();
        if is_optional && !names.iter().all(|name| absent.contains(name)) {
            return None;
        }
        let own: HashSet<_> = names.iter().collect();
        beside.retain(|name| !own.contains(name));
        let (first, others) = names.split_first()?;
        let is_old = |name: &str| {
            let property = object.get("properties").and_then(|properties| properties.get(name));
            property.map(is_deprecated)
        };
        let is_other = |name: &String| is_old(name) == Some(true);
        let are_names = is_old(first) == Some(false) && others.iter().all(is_other);
        (are_names && !others.is_empty()).then(|| Self {
            first: first.clone(),
            others: others.to_vec(),
            is_optional,
            beside,
        })
    }

    fn keep_first(self, object: &mut Map<String, Value>) {
        let others: HashSet<_> = self.others.iter().collect();
        if let Some(Value::Object(properties)) = object.get_mut("properties") {
            properties.retain(|name, _| !others.contains(name));
        }
        if let Some(Value::Object(dependent)) = object.get_mut("dependentRequired") {
            dependent.retain(|name, _| !others.contains(name));
        }
        self.require_beside(object);
        if self.is_optional {
            return;
        }
        if let Value::Array(required) = object.entry("required").or_insert_with(|| json!([])) {
            required.push(Value::from(self.first));
        }
    }
}

impl FieldNames {
    /// Requires the first name beside the keys that require the field.
    fn require_beside(&self, object: &mut Map<String, Value>) {
        let is_property = |key: &&String| {
            object.get("properties").is_some_and(|properties| properties.get(key.as_str()).is_some())
        };
        let beside: Vec<String> = self.beside.iter().filter(is_property).cloned().collect();
        if beside.is_empty() {
            return;
        }
        let Value::Object(dependent) = object.entry("dependentRequired").or_insert_with(|| json!({})) else {
            return;
        };
        for key in beside {
            if let Value::Array(required) = dependent.entry(key).or_insert_with(|| json!([])) {
                required.push(Value::from(self.first.as_str()));
            }
        }
    }
}

/// Drops from `object` and the parts that are flattened into it:
///
/// - the requirement of one key, where each alternative of a union has its own;
/// - properties about which nothing is said, where the key is described beside them;
/// - aliases among the keys that are absent or null with a flattened `Option`;
/// - the names of such keys among those of a map.
fn drop_repeated(object: &mut Map<String, Value>) {
    drop_one_of_keys(object);
    if !object.contains_key("allOf") && !object.contains_key("propertyNames") {
        return;
    }
    let mut keys = DescribedKeys::default();
    keys.collect(object);
    keys.drop_elsewhere(object);
}

/// The keys that an object or a part of it describes.
#[derive(Default)]
struct DescribedKeys {
    all: HashSet<String>,
    aliases: HashSet<String>,
}

fn drop_one_of_keys(object: &mut Map<String, Value>) {
    let Some(all) = object.get("allOf").and_then(Value::as_array) else { return };
    let Some(branches) = object.get("oneOf").and_then(Value::as_array) else { return };
    let mut branch_of = HashMap::new();
    for (index, branch) in branches.iter().filter_map(Value::as_object).enumerate() {
        let names = list(branch, "oneOf").filter_map(only_required);
        for key in required(branch).chain(names) {
            branch_of.entry(key).or_insert(index);
        }
    }
    let branch_of = |choice: &Value| branch_of.get(only_required(choice)?);
    let is_repeated = |part: &Value| {
        let choices = part.as_object().filter(|part| part.len() == 1).and_then(|part| part.get("oneOf"));
        let choices = choices.and_then(Value::as_array);
        choices.is_some_and(|choices| {
            let found: Option<HashSet<_>> = choices.iter().map(branch_of).collect();
            found.is_some_and(|found| found.len() == branches.len())
        })
    };
    let are_kept: Vec<bool> = all.iter().map(|part| !is_repeated(part)).collect();
    if !are_kept.contains(&true) {
        object.shift_remove("allOf");
    } else if let Some(Value::Array(all)) = object.get_mut("allOf") {
        let mut are_kept = are_kept.into_iter();
        all.retain(|_| are_kept.next().unwrap_or(true));
    }
}

/// The one key that `choice` requires, if it requires nothing else.
fn only_required(choice: &Value) -> Option<&str> {
    let choice = choice.as_object().filter(|choice| choice.len() == 1)?;
    match choice.get("required")?.as_array()?.as_slice() {
        [key] => key.as_str(),
        _ => None,
    }
}

impl DescribedKeys {
    fn collect(&mut self, object: &Map<String, Value>) {
        for (key, schema) in named(object, "properties") {
            if is_deprecated(schema) {
                self.aliases.insert(key.clone());
            }
            if *schema != json!({}) {
                self.all.insert(key.clone());
            }
        }
        composed(object).filter_map(Value::as_object).for_each(|part| self.collect(part));
    }

    fn drop_elsewhere(&self, object: &mut Map<String, Value>) {
        let required: HashSet<_> = required(object).map(str::to_owned).collect();
        if let Some(Value::Object(properties)) = object.get_mut("properties") {
            properties.retain(|key, schema| {
                let is_repeated = *schema == json!({}) && self.all.contains(key)
                    || *schema == json!({ "type": "null" }) && self.aliases.contains(key);
                !is_repeated || required.contains(key)
            });
        }
        if let Some(names) = object.get_mut("propertyNames")
            && let Some([hidden, own]) = names.get("anyOf").and_then(Value::as_array).map(Vec::as_slice)
            && let Some(hidden) = hidden.get("enum").and_then(Value::as_array)
            && hidden.iter().all(|key| key.as_str().is_some_and(|key| self.all.contains(key)))
        {
            *names = own.clone();
        }
        for name in COMPOSING {
            let parts = object.get_mut(name).and_then(Value::as_array_mut);
            parts
                .into_iter()
                .flatten()
                .filter_map(Value::as_object_mut)
                .for_each(|part| self.drop_elsewhere(part));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    #[allow(clippy::cast_possible_truncation, reason = "the rounding is what is tested")]
    fn the_bound_of_f32_is_the_last_number_that_is_not_infinite() {
        assert_eq!((F32_MAX as f32, -F32_MAX as f32), (f32::MAX, f32::MIN));
        assert!((F32_MAX.next_up() as f32).is_infinite());
    }

    #[test]
    fn drops_marks_and_not_what_has_their_name() {
        let mut schema = json!({
            "x-sensitive": true,
            "properties": {"x-sensitive": true, "pin": {"type": "string", "x-sensitive": true}},
            "examples": [{"x-sensitive": true}],
            "anyOf": [{"x-sensitive": true}],
        });
        drop_marks(&mut schema);
        let expected = json!({
            "properties": {"x-sensitive": true, "pin": {"type": "string"}},
            "examples": [{"x-sensitive": true}],
            "anyOf": [{}],
        });
        assert_eq!(schema, expected);
    }

    #[test]
    fn drops_the_bounds_of_wide_numbers_and_nothing_else() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "properties": {
                "small": {"type": "integer", "minimum": 0, "maximum": 255},
                "wide": {"type": "integer", "minimum": 1, "maximum": u32::MAX},
                "optional": {"type": ["integer", "null"], "minimum": i64::MIN, "maximum": i64::MAX},
                "amount": {"type": "number", "maximum": u32::MAX},
                "share": {"type": ["number", "null"], "minimum": 0, "maximum": F32_MAX},
                "word": {"const": {"type": "integer", "maximum": u32::MAX}},
            },
        });
        let expected = json!({
            "properties": {
                "small": {"type": "integer", "minimum": 0, "maximum": 255},
                "wide": {"type": "integer", "minimum": 1},
                "optional": {"type": ["integer", "null"]},
                "amount": {"type": "number", "maximum": u32::MAX},
                "share": {"type": ["number", "null"], "minimum": 0},
                "word": {"const": {"type": "integer", "maximum": u32::MAX}},
            },
        });
        assert_eq!(shown(&schema), expected.to_string());
    }

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
