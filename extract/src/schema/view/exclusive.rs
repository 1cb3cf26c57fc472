//! Checks that at most one of several alternatives can match: then `oneOf` means the same as
//! `anyOf`.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    SchemaView,
    keywords::{listed, type_of, types},
    reference,
};

/// Maximum alternatives; each is compared with every other one.
const MAX_BRANCHES: usize = 128;

/// Keywords that distinguish alternatives. Others beside a reference are ignored.
const DISTINGUISHING: [&str; 4] = ["type", "const", "enum", "properties"];

impl SchemaView<'_> {
    /// Returns whether types, tags and names of `branches` show that no value satisfies two of
    /// them.
    pub(crate) fn are_exclusive(&self, branches: &[Value]) -> bool {
        if branches.len() > MAX_BRANCHES {
            return false;
        }
        let Some(branches) =
            branches.iter().map(|branch| ExclusiveBranch::of(branch, self)).collect::<Option<Vec<_>>>()
        else {
            return false;
        };
        let differs_from_those_before = |(index, one): (usize, &ExclusiveBranch<'_>)| {
            branches[..index].iter().all(|other| one.excludes(other))
        };
        branches.iter().enumerate().all(differs_from_those_before)
    }
}

/// The part of a schema that is compared. Keywords beside it only narrow it further.
struct ExclusiveBranch<'s> {
    schema: &'s Map<String, Value>,
    view: &'s SchemaView<'s>,
}

impl<'s> ExclusiveBranch<'s> {
    fn of(schema: &'s Value, view: &'s SchemaView<'s>) -> Option<Self> {
        let is_distinguishing = |schema: &Map<String, Value>| {
            reference(schema).is_none() || DISTINGUISHING.iter().any(|word| schema.contains_key(*word))
        };
        let schema =
            view.chain(schema).filter_map(Value::as_object).find(|schema| is_distinguishing(schema))?;
        Some(Self { schema, view })
    }

    fn excludes(&self, other: &Self) -> bool {
        let by_values = match (self.values(), other.values()) {
            (Some(ours), Some(theirs)) => are_disjoint(ours, theirs),
            _ => false,
        };
        by_values || self.has_other_types(other) || self.is_other_object(other)
    }

    /// The allowed values, if they are listed.
    fn values(&self) -> Option<&'s [Value]> {
        listed(self.schema)
    }

    fn types(&self) -> Vec<&'s str> {
        match (self.schema.get("type"), self.values()) {
            (Some(kinds), _) => types(kinds),
            (None, Some(values)) => values.iter().map(type_of).collect(),
            (None, None) => Vec::new(),
        }
    }

    fn has_other_types(&self, other: &Self) -> bool {
        let is_same = |one: &str, other: &str| {
            one == other || [one, other].iter().all(|kind| matches!(*kind, "integer" | "number"))
        };
        let (ours, theirs) = (self.types(), other.types());
        !ours.is_empty()
            && !theirs.is_empty()
            && !ours.iter().any(|one| theirs.iter().any(|other| is_same(one, other)))
    }

    /// Returns whether both require the same key with different tags, or one requires a key that
    /// the other forbids.
    fn is_other_object(&self, other: &Self) -> bool {
        if self.types() != ["object"] || other.types() != ["object"] {
            return false;
        }
        let by_tag = self.required().any(|name| {
            let member = |seen: &Self| Self::of(seen.schema.get("properties")?.get(name)?, seen.view);
            other.required().any(|known| known == name)
                && match (member(self), member(other)) {
                    (Some(one), Some(other)) => match (one.values(), other.values()) {
                        (Some(ours), Some(theirs)) => are_disjoint(ours, theirs),
                        _ => false,
                    },
                    _ => false,
                }
        });
        by_tag || self.requires_unknown(other) || other.requires_unknown(self)
    }

    fn required(&self) -> impl Iterator<Item = &'s str> {
        self.schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }

    fn requires_unknown(&self, other: &Self) -> bool {
        let is_closed = other.schema.get("additionalProperties").is_some_and(|rest| *rest == false)
            && !other.schema.contains_key("patternProperties");
        let knows = |name| other.schema.get("properties").is_some_and(|known| known.get(name).is_some());
        is_closed && self.required().any(|name| !knows(name))
    }
}

fn are_disjoint(ours: &[Value], theirs: &[Value]) -> bool {
    let (few, many) = if ours.len() < theirs.len() { (ours, theirs) } else { (theirs, ours) };
    let few: HashSet<ListedValue<'_>> = few.iter().map(ListedValue::of).collect();
    !many.iter().any(|value| few.contains(&ListedValue::of(value)))
}

/// A value in the form that is compared: 1 and 1.0 are one number (JSON Schema 2020-12 core,
/// section 4.2.2).
#[derive(PartialEq, Eq, Hash)]
enum ListedValue<'v> {
    Number(u64),
    Other(&'v Value),
}

impl<'v> ListedValue<'v> {
    fn of(value: &'v Value) -> Self {
        match value.as_f64() {
            // -0.0 and 0.0 are one number as well.
            Some(number) => Self::Number((number + 0.0).to_bits()),
            None => Self::Other(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn exclusive(branches: &Value) -> bool {
        let root = json!({"$defs": {
            "A": {"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]},
            "Loop": {"$ref": "#/$defs/Loop"},
        }});
        SchemaView::of(&root).are_exclusive(branches.as_array().unwrap())
    }

    #[test]
    fn types_values_tags_and_names_tell_alternatives_apart() {
        let tagged = |tag: &str| json!({"type": "object", "properties": {"kind": {"const": tag}}, "required": ["kind"]});
        let named = |name: &str| json!({"type": "object", "properties": {name: true}, "required": [name], "additionalProperties": false});
        for branches in [
            json!([{"type": "string"}, {"type": "integer"}, {"type": ["null", "boolean"]}]),
            json!([{"const": "a"}, {"enum": ["b", 1]}]),
            json!([{"enum": ["a"]}, named("A"), named("B")]),
            json!([{"$ref": "#/$defs/A"}, tagged("b")]),
        ] {
            assert!(exclusive(&branches), "{branches}");
        }
    }

    #[test]
    fn what_may_hold_at_once_is_not_exclusive() {
        let open = |name: &str| json!({"type": "object", "properties": {name: true}, "required": [name]});
        let optional = |tag: &str| json!({"type": "object", "properties": {"kind": {"const": tag}}});
        for branches in [
            json!([{"type": "integer"}, {"type": "number"}]),
            json!([{"type": "string"}, {"const": "a"}]),
            json!([{"const": 1}, {"const": 1.0}]),
            json!([{"type": "string"}, {"minLength": 1}]),
            json!([open("a"), open("b")]),
            json!([optional("a"), optional("b")]),
            json!([{"$ref": "#/$defs/Loop"}, {"type": "string"}]),
            json!([{"type": "string"}, true]),
        ] {
            assert!(!exclusive(&branches), "{branches}");
        }
    }
}
