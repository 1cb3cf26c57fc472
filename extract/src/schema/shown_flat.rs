//! What validation needs of flattened fields, and an agent need not read because it is said beside it.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::{
    is_deprecated,
    view::keywords::{COMPOSING, composed, list, named, required},
};

/// Drops from `object` and the parts that are flattened into it:
///
/// - the requirement of one key, where each alternative of a union has its own;
/// - properties about which nothing is said, where the key is described beside them;
/// - aliases among the keys that are absent or null with a flattened `Option`;
/// - the names of such keys among those of a map.
pub(super) fn drop_repeated(object: &mut Map<String, Value>) {
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
pub(super) fn only_required(choice: &Value) -> Option<&str> {
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
