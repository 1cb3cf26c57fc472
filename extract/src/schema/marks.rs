//! Marks: keywords of this library. Validators ignore unknown keywords (JSON Schema 2020-12 core,
//! section 4.3.1), and agents do not see these.

use std::{
    cmp::Ordering,
    sync::{Arc, Mutex, PoisonError},
};

use schemars::{Schema, SchemaGenerator, transform::Transform};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::vocabulary::path::all_values;

/// Marks a sensitive value, which is redacted.
pub(crate) const SENSITIVE: &str = "x-sensitive";

/// Marks a string that quotes the document.
pub(crate) const QUOTE: &str = "x-quote";

/// Marks an object with a `value` and the `quote` that supports it.
pub(crate) const GROUNDED: &str = "x-grounded";

/// Marks a field that identifies its object. When the answers to the chunks of a document are
/// merged, objects of a list with the same key become one.
pub(crate) const KEY: &str = "x-key";

/// Selects which value of a field is kept when the answers to the chunks of a document are merged: one of
/// [`MERGE_POLICIES`], or the number of an order.
pub(crate) const MERGE: &str = "x-merge";

/// The names of the ways to merge.
pub(crate) const MERGE_POLICIES: [&str; 4] = ["first", "last", "all", "most"];

/// Marks a list that may lose its broken items, if the caller asks for that.
pub(crate) const KEEP_VALID_ITEMS: &str = "x-keep-valid-items";

/// Marks the strings that `#[serde(other)]` accepts: all except the names beside them. Alignment
/// corrects another spelling of such a name. Without the mark, any string would be a value and stay
/// unchanged.
pub(crate) const OTHER: &str = "x-other";

/// Marks a number or string whose digits a decimal of 96 bits holds. Reading turns a number with a
/// fraction or an exponent into a string of its digits, which no double rounds.
pub(crate) const DECIMAL: &str = "x-decimal";

/// All of them.
pub(crate) const ALL: [&str; 8] = [SENSITIVE, QUOTE, GROUNDED, KEY, MERGE, KEEP_VALID_ITEMS, OTHER, DECIMAL];

/// Returns whether `schema` itself has the mark.
pub(crate) fn is_marked(schema: &Value, mark: &str) -> bool {
    schema.get(mark) == Some(&Value::Bool(true))
}

/// Returns whether `schema` or one of its parts has the mark.
pub(crate) fn is_marked_within(schema: &Value, mark: &str) -> bool {
    any_within(schema, &|part| is_marked(part, mark))
}

/// Returns whether `schema` or one of its parts satisfies `is`.
pub(crate) fn any_within(schema: &Value, is: &impl Fn(&Value) -> bool) -> bool {
    all_values(schema).any(|part| part.is_object() && is(part))
}

/// An order of two values of a field; `None` if one of them does not deserialize.
pub(crate) type ValueOrder = fn(&Value, &Value) -> Option<Ordering>;

/// Compares two values by a function for their type.
pub fn ordered<T: DeserializeOwned>(
    left: &Value,
    right: &Value,
    by: fn(&T, &T) -> Ordering,
) -> Option<Ordering> {
    Some(by(&T::deserialize(left).ok()?, &T::deserialize(right).ok()?))
}

/// The orders that the types in a schema name. They travel with the generator as a transform that
/// changes nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct TypeOrders(Arc<Mutex<Vec<ValueOrder>>>);

impl TypeOrders {
    /// The orders found so far.
    pub(crate) fn found(&self) -> Arc<[ValueOrder]> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_slice().into()
    }

    /// The number of `order`; `None` if orders are not collected.
    pub(super) fn number(generator: &mut SchemaGenerator, order: ValueOrder) -> Option<usize> {
        let orders = generator.transforms_mut().find_map(|transform| transform.downcast_ref::<Self>())?;
        let mut found = orders.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.push(order);
        Some(found.len() - 1)
    }
}

impl Transform for TypeOrders {
    fn transform(&mut self, _schema: &mut Schema) {}
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_mark_counts_only_where_it_is_true() {
        let schema = json!({"anyOf": [{"type": "null"}, {"items": {"x-quote": true}}], "x-key": "yes"});
        assert!(is_marked_within(&schema, QUOTE) && !is_marked(&schema, QUOTE));
        assert!(!is_marked_within(&schema, KEY) && !is_marked_within(&schema, SENSITIVE));
        assert!(!is_marked_within(&json!({"properties": {"x-quote": {"const": true}}}), QUOTE));
    }
}
