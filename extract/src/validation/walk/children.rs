//! Walks into the parts of a value.

use std::ops::ControlFlow::{self, Break, Continue};

use serde_json::{Map, Value};

use super::{SchemaAtValue, ValidationWalk, WalkAim, WalkNode, failure::FailureCause};
use crate::validation::allowed::KeyRule;

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
