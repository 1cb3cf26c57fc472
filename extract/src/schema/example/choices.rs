//! Alternatives that an example has to take, and elements of a list that have to differ.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

/// The address of the list of alternatives of a union, or of a list of values.
pub(crate) type UnionAddress = *const Value;

/// The choices that the generator has to make, and where.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExampleChoices {
    /// The alternative in each union on the way. Each counts once, so a recursive one has an end.
    left: HashMap<UnionAddress, usize>,
    /// The last of them.
    last: Option<UnionAddress>,
    /// The schemas around the last one. A value stated for one of them may take another way.
    around: HashSet<*const Value>,
    /// The value for the last one.
    pub(super) part: Option<Value>,
}

impl ExampleChoices {
    /// The choices on the way to `last`, which is inside of the schemas `around`.
    pub(crate) fn new(
        way: &[(UnionAddress, usize)],
        last: (UnionAddress, usize),
        around: &[*const Value],
    ) -> Self {
        let left = way.iter().copied().chain([last]).collect();
        Self { left, last: Some(last.0), around: around.iter().copied().collect(), part: None }
    }

    pub(super) fn is_around(&self, schema: &Value) -> bool {
        self.around.contains(&std::ptr::from_ref(schema))
    }

    /// The choice for `alternatives`, and whether it is the last.
    pub(super) fn take(&mut self, alternatives: &[Value]) -> Option<(usize, bool)> {
        let union = alternatives.as_ptr();
        Some((self.left.remove(&union)?, self.last == Some(union)))
    }
}

/// Changes elements of a list until they differ.
pub(super) struct DistinctElements<'s> {
    seen: HashSet<Value>,
    /// Allowed values that have not been tried.
    options: Option<std::slice::Iter<'s, Value>>,
}

impl<'s> DistinctElements<'s> {
    pub(super) fn new(first: &[Value], schema: &'s Value) -> Self {
        let options = schema.get("enum").and_then(Value::as_array).map(|options| options.iter());
        Self { seen: first.iter().cloned().collect(), options }
    }

    /// `element`, changed if it occurred before.
    pub(super) fn from(&mut self, element: Value) -> Option<Value> {
        let element = match &mut self.options {
            _ if !self.seen.contains(&element) => element,
            Some(options) => options.find(|option| !self.seen.contains(*option))?.clone(),
            None => changed(element, self.seen.len())?,
        };
        self.seen.insert(element.clone());
        Some(element)
    }
}

fn changed(element: Value, number: usize) -> Option<Value> {
    Some(match element {
        Value::String(text) => Value::from(format!("{text}{number}")),
        Value::Number(first) => match (first.as_i64(), first.as_f64()) {
            (Some(first), _) => Value::from(first.saturating_add(i64::try_from(number).ok()?)),
            (None, Some(first)) => Value::from(first + f64::from(u32::try_from(number).ok()?)),
            (None, None) => return None,
        },
        Value::Bool(first) => Value::Bool(!first),
        _ => return None,
    })
}
