//! Makes the elements of a list differ.

use std::collections::HashSet;

use serde_json::Value;

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
