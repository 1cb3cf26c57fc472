//! Examples of values that several schemas describe, such as that of a newtype and the constraints of
//! the field that holds it. Each of them alone would give a value that the others refuse.

use serde_json::{Map, Value};

use super::{ExampleGenerator, scalar_example, type_of};
use crate::schema::{
    joint::{about_value, is_null, joint_parts, joint_schema},
    validator_options,
    view::keywords::list,
};

impl<'s> ExampleGenerator<'s> {
    /// The schemas that describe the value of `object`, which is not an object itself, if more than
    /// one of them constrains it; `None` if it is simpler, or a choice between several.
    pub(super) fn joined_parts(&self, object: &'s Map<String, Value>) -> Option<Vec<&'s Map<String, Value>>> {
        if self.is_lean && ["anyOf", "oneOf"].into_iter().any(|union| list(object, union).any(is_null)) {
            return None;
        }
        let parts = joint_parts(object, &self.view)?;
        (parts.len() > 1 && kind_of(&parts)? != "object").then_some(parts)
    }

    /// A value that satisfies all of `parts`, which [`joined_parts`](Self::joined_parts) has found.
    pub(super) fn joined(&mut self, parts: &[&'s Map<String, Value>]) -> Option<Value> {
        match kind_of(parts)? {
            "array" => self.array_of(parts),
            kind => self.scalar(parts, kind),
        }
    }

    /// An element that satisfies all of `items`.
    pub(super) fn element(&mut self, items: &[&'s Value]) -> Option<Value> {
        let [first, .., _] = items else { return self.value(items.first()?) };
        let mut parts = Vec::new();
        for items in items {
            parts.extend(joint_parts(items.as_object()?, &self.view)?);
        }
        if kind_of(&parts).is_none_or(|kind| kind == "object") {
            return self.value(first);
        }
        self.budget.take(parts.len())?;
        self.deeper(|example| example.joined(&parts))
    }

    fn scalar(&mut self, parts: &[&'s Map<String, Value>], kind: &str) -> Option<Value> {
        let validator = validator_options().build(&joint_schema(parts)).ok()?;
        let stated = parts
            .iter()
            .flat_map(|part| list(part, "examples").chain(part.get("const")).chain(list(part, "enum")));
        let stated = stated.filter(|value| !value.is_null()).find(|value| validator.is_valid(value));
        if let Some(stated) = stated {
            return self.budget.copy(stated);
        }
        // The tightest bounds, with each pattern and format in turn.
        let mut tightest = Map::new();
        for (keyword, value) in parts.iter().flat_map(|part| about_value(part)) {
            let is_tighter = |old: &Value| match (old.as_f64(), value.as_f64()) {
                (Some(old), Some(new)) if keyword.to_lowercase().contains("min") => new > old,
                (Some(old), Some(new)) => new < old,
                _ => false,
            };
            if tightest.get(&keyword).is_none_or(is_tighter) {
                tightest.insert(keyword, value);
            }
        }
        let words = parts.iter().flat_map(|part| ["pattern", "format"].map(|word| part.get_key_value(word)));
        let words = words.flatten().map(Some).chain([None]);
        words.into_iter().find_map(|word| {
            let mut one = tightest.clone();
            if let Some((keyword, value)) = word {
                one.retain(|keyword, _| !matches!(keyword.as_str(), "pattern" | "format"));
                one.insert(keyword.clone(), value.clone());
            }
            scalar_example(kind, &one, &mut self.budget).filter(|value| validator.is_valid(value))
        })
    }
}

/// The type of the value that `parts` describe, if one of them names it.
fn kind_of<'s>(parts: &[&'s Map<String, Value>]) -> Option<&'s str> {
    parts.iter().find(|part| part.contains_key("type")).and_then(|part| type_of(part))
}
