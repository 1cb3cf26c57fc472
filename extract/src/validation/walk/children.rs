//! Walks into the parts of a value.

use std::ops::ControlFlow::{self, Break, Continue};

use serde_json::{Map, Value};

use super::{SchemaAtValue, ValidationWalk, WalkAim, WalkNode, failure::FailureCause};
use crate::{
    schema::{
        MAX_CHAIN,
        view::keywords::{list, named},
    },
    validation::nodes::KeyRule,
};

impl<'a> ValidationWalk<'a> {
    pub(super) fn entries(
        &self,
        on: SchemaAtValue<'a, '_>,
        node: &WalkNode<'a>,
        aim: &mut WalkAim<'_, 'a>,
    ) -> ControlFlow<()> {
        let Some(entries) = on.value.as_object() else { return Continue(()) };
        let WalkNode { plan, properties, patterns, rest, .. } = node;
        let mut unknown = Vec::new();
        for (position, (key, value)) in entries.iter().enumerate() {
            let place = on.place.key(key);
            let own = properties.get(key, position);
            let matching = plan.patterns.iter().filter(|(_, form)| form.is_valid(&Value::from(key.as_str())));
            let matching = matching.filter_map(|(pattern, _)| (*patterns)?.get(pattern));
            let mut is_known = false;
            for schema in own.into_iter().chain(matching) {
                is_known = true;
                self.node(SchemaAtValue { schema, whole: schema, value, place: &place }, aim)?;
            }
            match rest.filter(|_| !is_known) {
                Some(Value::Bool(false)) if aim.is_test() => return Break(()),
                Some(Value::Bool(false)) => unknown.push(key.as_str()),
                Some(schema) => {
                    self.node(SchemaAtValue { schema, whole: schema, value, place: &place }, aim)?;
                }
                None => {}
            }
        }
        if unknown.is_empty() {
            return Continue(());
        }
        aim.take(|| on.failure(FailureCause::UnknownKeys { keys: unknown, by: KeyRule::Additional }))
    }

    /// The schemas of `patternProperties` in `object` that describe the value under `key`.
    pub(crate) fn matching(&self, object: &'a Map<String, Value>, key: &str) -> Vec<&'a Value> {
        let Some(patterns) = object.get("patternProperties").and_then(Value::as_object) else {
            return Vec::new();
        };
        let plan = self.plans.of(object);
        let matching = plan.patterns.iter().filter(|(_, form)| form.is_valid(&Value::from(key)));
        matching.filter_map(|(pattern, _)| patterns.get(pattern)).collect()
    }

    pub(super) fn names(
        &self,
        on: SchemaAtValue<'a, '_>,
        object: &'a Map<String, Value>,
        aim: &mut WalkAim<'_, 'a>,
    ) -> ControlFlow<()> {
        let (Some(entries), Some(schema)) = (on.value.as_object(), object.get("propertyNames")) else {
            return Continue(());
        };
        if schema == false && !entries.is_empty() {
            return aim.take(|| on.failure(FailureCause::NoKeys));
        }
        let wrong = |key: &&String| !self.is_valid_key(schema, key);
        entries
            .keys()
            .filter(wrong)
            .try_for_each(|key| aim.take(|| on.failure(FailureCause::Key(key, schema))))
    }

    pub(super) fn elements(
        &self,
        on: SchemaAtValue<'a, '_>,
        object: &'a Map<String, Value>,
        aim: &mut WalkAim<'_, 'a>,
    ) -> ControlFlow<()> {
        let Some(list) = on.value.as_array() else { return Continue(()) };
        let first = object.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let rest = object.get("items");
        for (index, value) in list.iter().enumerate() {
            let Some(schema) = first.get(index).or(rest) else { return Continue(()) };
            self.node(SchemaAtValue { schema, whole: schema, value, place: &on.place.index(index) }, aim)?;
        }
        Continue(())
    }

    pub(super) fn contains(
        &self,
        on: SchemaAtValue<'a, '_>,
        object: &'a Map<String, Value>,
        aim: &mut WalkAim<'_, 'a>,
    ) -> ControlFlow<()> {
        let (Some(list), Some(schema)) = (on.value.as_array(), object.get("contains")) else {
            return Continue(());
        };
        // Numbers may be written as `1.0`.
        let bound = |name| object.get(name).and_then(Value::as_f64);
        let count = list.iter().filter(|element| self.is_valid(schema, element)).count();
        let count = u32::try_from(count).map_or(f64::MAX, f64::from);
        let is_enough = count >= bound("minContains").unwrap_or(1.0);
        if is_enough && bound("maxContains").is_none_or(|most| count <= most) {
            return Continue(());
        }
        aim.take(|| on.failure(FailureCause::Contains))
    }
}

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
        let fits = |schema: &&'a Value| self.is_valid(schema, value);
        list(object, "allOf").chain(list(object, "anyOf")).filter(fits).for_each(&mut follow);
        let mut one = list(object, "oneOf").filter(fits);
        if let (Some(only), None) = (one.next(), one.next()) {
            follow(only);
        }
        let dependent = named(object, "dependentSchemas");
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
