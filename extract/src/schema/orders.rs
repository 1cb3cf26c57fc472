//! Orders of values that fields name for merging. A schema cannot hold a function, so it holds the
//! number of one.

use std::{
    cmp::Ordering,
    sync::{Arc, Mutex, PoisonError},
};

use schemars::{Schema, SchemaGenerator, transform::Transform};
use serde::de::DeserializeOwned;
use serde_json::Value;

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
