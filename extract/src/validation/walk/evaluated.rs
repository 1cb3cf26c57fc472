//! `unevaluatedProperties` and `unevaluatedItems`: what no other keyword of the same schema
//! evaluates (JSON Schema 2020-12 core, section 11).

use std::ops::ControlFlow::{self, Continue};

use serde_json::{Map, Value};

use super::{SchemaAtValue, ValidationWalk, WalkAim, failure::FailureCause};
use crate::{schema::MAX_CHAIN, validation::allowed::KeyRule};

impl<'a> ValidationWalk<'a> {
    pub(super) fn unevaluated_properties(
        &self,
        on: SchemaAtValue<'a, '_>,
        object: &'a Map<String, Value>,
        aim: &mut WalkAim<'_, 'a>,
    ) -> ControlFlow<()> {
        let (Some(entries), Some(rest)) = (on.value.as_object(), object.get("unevaluatedProperties")) else {
            return Continue(());
        };
        let mut is_evaluated: Vec<bool> = vec![false; entries.len()];
        let mut mark = |schema: &'a Map<String, Value>| self.mark_entries(schema, entries, &mut is_evaluated);
        self.in_place(object, on.value, MAX_CHAIN, &mut mark);
        let keys: Vec<&str> = entries
            .iter()
            .zip(is_evaluated)
            .filter(|((_, entry), is_evaluated)| !is_evaluated && !self.is_valid(rest, entry))
            .map(|((key, _), _)| key.as_str())
            .collect();
        if keys.is_empty() {
            return Continue(());
        }
        aim.take(|| on.failure(FailureCause::UnknownKeys { keys, by: KeyRule::Unevaluated }))
    }

    pub(super) fn unevaluated_items(
        &self,
        on: SchemaAtValue<'a, '_>,
        object: &'a Map<String, Value>,
        aim: &mut WalkAim<'_, 'a>,
    ) -> ControlFlow<()> {
        let (Some(list), Some(rest)) = (on.value.as_array(), object.get("unevaluatedItems")) else {
            return Continue(());
        };
        let mut is_evaluated: Vec<bool> = vec![false; list.len()];
        let mut mark = |schema: &'a Map<String, Value>| self.mark_elements(schema, list, &mut is_evaluated);
        self.in_place(object, on.value, MAX_CHAIN, &mut mark);
        let mut wrong = list.iter().zip(is_evaluated);
        if wrong.all(|(element, is_evaluated)| is_evaluated || self.is_valid(rest, element)) {
            return Continue(());
        }
        aim.take(|| on.failure(FailureCause::UnevaluatedItems))
    }

    /// Calls `mark` for every schema that evaluates the same value as `object`: `object` itself,
    /// the targets of its references, and its parts and alternatives that the value satisfies.
    fn in_place(
        &self,
        object: &'a Map<String, Value>,
        value: &'a Value,
        left: usize,
        mark: &mut dyn FnMut(&'a Map<String, Value>),
    ) {
        if left == 0 {
            return;
        }
        mark(object);
        let mut follow = |schema: &'a Value| {
            if let Value::Object(object) = schema {
                self.in_place(object, value, left - 1, mark);
            }
        };
        self.view.targets(object).for_each(&mut follow);
        let several = |keyword| object.get(keyword).and_then(Value::as_array).into_iter().flatten();
        let fits = |schema: &&'a Value| self.is_valid(schema, value);
        several("allOf").chain(several("anyOf")).filter(fits).for_each(&mut follow);
        let mut one = several("oneOf").filter(fits);
        if let (Some(only), None) = (one.next(), one.next()) {
            follow(only);
        }
        let dependent = object.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten();
        dependent.filter(|(key, _)| value.get(*key).is_some()).for_each(|(_, schema)| follow(schema));
        let Some(condition) = object.get("if") else { return };
        let is_met = self.is_valid(condition, value);
        if is_met {
            follow(condition);
        }
        if let Some(consequence) = object.get(if is_met { "then" } else { "else" }) {
            follow(consequence);
        }
    }

    fn mark_entries(
        &self,
        schema: &'a Map<String, Value>,
        entries: &'a Map<String, Value>,
        is_evaluated: &mut [bool],
    ) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let patterns = self.plans.of(schema);
        let has_rest = schema.contains_key("additionalProperties");
        let rest = schema.get("unevaluatedProperties");
        for ((key, entry), is_evaluated) in entries.iter().zip(is_evaluated) {
            *is_evaluated |= has_rest
                || properties.is_some_and(|properties| properties.contains_key(key))
                || patterns.patterns.iter().any(|(_, form)| form.is_valid(&Value::from(key.as_str())));
            *is_evaluated = *is_evaluated || rest.is_some_and(|rest| self.is_valid(rest, entry));
        }
    }

    fn mark_elements(&self, schema: &'a Map<String, Value>, list: &'a [Value], is_evaluated: &mut [bool]) {
        let first = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        let has_rest = schema.contains_key("items");
        let certain = [schema.get("contains"), schema.get("unevaluatedItems")];
        for (index, (element, is_evaluated)) in list.iter().zip(is_evaluated).enumerate() {
            *is_evaluated = *is_evaluated
                || has_rest
                || index < first
                || certain.iter().flatten().any(|schema| self.is_valid(schema, element));
        }
    }
}
