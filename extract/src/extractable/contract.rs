//! The contract of a type.

use std::{
    any::TypeId,
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::{Arc, LazyLock, PoisonError, RwLock},
};

use serde_json::Value;

use super::Extractable;
use crate::{
    contract::{Contract, TypeJudges},
    derive_support,
    schema::{self, SchemaError},
    validation,
    vocabulary::{context::ErasedContext, violation::Violation},
};

impl Contract {
    /// Returns the contract of a type: its schema, its example, serde and its rules.
    ///
    /// # Errors
    ///
    /// If the schema does not compile. For a derived type the causes are a `pattern` that is not
    /// a regular expression, a mistake in a hand-written schema, a map with keys that are never
    /// strings in JSON, such as tuples, an enum whose names its `Deserialize` does not read (as with
    /// `serde_repr`), and a type in a flattened field or beside the tag of an
    /// enum that is not an object or that serde cannot read there. The last is possible for a type
    /// parameter or a type inside [`BySchemars`](crate::BySchemars).
    ///
    /// Checks and rules that need a context (`#[extract(context = ...)]`) or are async
    /// (`async_check`, `async_rule`) do not run: a contract has no context and does not wait. An
    /// extraction runs them.
    pub fn of<T: Extractable>() -> Result<Self, SchemaError> {
        Self::shared_of::<T>().cloned()
    }

    /// The contract of a type, compiled once and kept for the life of the process.
    pub(crate) fn shared_of<T: Extractable>() -> Result<&'static Self, SchemaError> {
        static COMPILED: LazyLock<RwLock<ByType<&'static Contract>>> = LazyLock::new(RwLock::default);
        let id = TypeId::of::<T>();
        // A panic while the lock is held leaves the map as it was.
        let compiled = COMPILED.read().unwrap_or_else(PoisonError::into_inner).get(&id).copied();
        if let Some(contract) = compiled {
            return Ok(contract);
        }
        let (schema, orders) = derive_support::schema_of::<T>();
        if let Some((path, message)) = schema::mistake(&schema) {
            return Err(SchemaError::new(path, message));
        }
        let judges = TypeJudges {
            parts: derive_support::judge_parts::<T>,
            part: derive_support::judge_part::<T>,
            orders,
        };
        let contract =
            Self::compile(schema, vec![Arc::new(violations_of::<T>)], Some(judges))?.of_type(Some(id));
        let mut compiled = COMPILED.write().unwrap_or_else(PoisonError::into_inner);
        Ok(*compiled.entry(id).or_insert_with(|| Box::leak(Box::new(contract))))
    }
}

type ByType<V> = HashMap<TypeId, V, BuildHasherDefault<TypeHasher>>;

/// A `TypeId` is a hash already.
#[derive(Default)]
struct TypeHasher(u64);

impl Hasher for TypeHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn violations_of<T: Extractable>(value: &Value) -> Vec<Violation> {
    match validation::deserialize::<T>(value) {
        Ok(value) => derive_support::judge(&value, ErasedContext::default()),
        Err(broken) => derive_support::with_parts::<T>(value, broken, ErasedContext::default()),
    }
}
