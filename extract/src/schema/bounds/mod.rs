//! Limits what a schema may require of one value.
//!
//! `properties`, `items` and similar keywords lead to a part of the value, so recursion through
//! them ends with the value. `$ref`, `allOf`, `anyOf` and similar keywords lead to another schema
//! for the same value. A circle of those never ends, and a long chain or a wide tree of them takes
//! stack and time for every value, however small. Everything that walks a schema relies on these
//! checks.

mod order;
mod subschemas;
mod visits;

use serde_json::Value;

use self::subschemas::{SubschemaIndex, Subschemas};
use super::view::MAX_CHAIN;
use crate::{schema::SchemaError, vocabulary::path::Path};

/// Maximum levels of brackets in a schema. `serde_json` parses at most 128; a value that a program
/// builds may have any number, and all code that reads it recurses.
const MAX_NESTING: usize = 256;

/// Maximum schemas that may apply to one value at once because references repeat them. A schema
/// that writes each of them out may have more.
const MAX_AT_ONCE: usize = 10_000;

/// Maximum nested schemas that are applied to a value and its parts. Validation takes the most
/// stack, about 2 KB for each of them without optimisation, and explaining the failures as much
/// again. Threads usually have 2 MiB.
const MAX_APPLIED: usize = 512;

/// Maximum schemas that a message names.
const NAMED: usize = 6;

/// Checks the nesting of `schema`. A schema that is too deep is dropped here without recursion.
pub(crate) fn check_nesting(schema: Value) -> Result<Value, SchemaError> {
    if !nests_deeper(&schema, MAX_NESTING) {
        return Ok(schema);
    }
    drop_iteratively(schema);
    let message = format!("it nests more than {MAX_NESTING} levels deep");
    Err(SchemaError::new(Path::root(), message))
}

/// The limits for a value of one schema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ValueBounds {
    /// Maximum levels of brackets of a value, so that the schema can be applied to the whole value.
    pub(crate) depth: usize,
    /// Whether one schema may be evaluated repeatedly for the same part of a value, because nested
    /// alternatives lead to it. Without a cache the time doubles with each of their levels.
    pub(crate) repeats: bool,
}

/// # Errors
///
/// When the schema leads back to itself for the same value, or to too many others.
pub(crate) fn bounds(schema: &Value) -> Result<ValueBounds, SchemaError> {
    let subschemas = Subschemas::of(schema);
    let chains = SchemaChains::of(&subschemas)?;
    let longest = chains.iter().map(|chain| chain.longest).max().unwrap_or(1);
    Ok(ValueBounds { depth: MAX_APPLIED / longest, repeats: visits::repeat(&subschemas) })
}

/// The schemas that apply to a value together with one of them.
#[derive(Debug, Clone, Copy)]
struct SchemaChain {
    longest: usize,
    all: usize,
}

impl SchemaChain {
    const ONE: Self = Self { longest: 1, all: 1 };
}

struct SchemaChains<'p, 's> {
    subschemas: &'p Subschemas<'s>,
}

impl<'p, 's> SchemaChains<'p, 's> {
    fn of(subschemas: &'p Subschemas<'s>) -> Result<Vec<SchemaChain>, SchemaError> {
        let chains = Self { subschemas };
        let mut known = vec![SchemaChain::ONE; subschemas.len()];
        let target = |id, nth| subschemas.same_value(id).get(nth).copied();
        let circle = |way: &[SubschemaIndex], target| Err(chains.circle(way, target));
        order::visit_targets_first(subschemas.len(), target, circle, |id| {
            known[id] = chains.count(id, &known)?;
            Ok(())
        })?;
        Ok(known)
    }

    /// Counts the schemas that apply at `id`, given the counts of its targets.
    fn count(&self, id: SubschemaIndex, known: &[SchemaChain]) -> Result<SchemaChain, SchemaError> {
        let below = self.subschemas.same_value(id).iter().map(|target| known[*target]);
        let chain = below.fold(SchemaChain::ONE, |chain, below| SchemaChain {
            longest: chain.longest.max(1 + below.longest),
            all: chain.all.saturating_add(below.all),
        });
        let most = self.subschemas.len().max(MAX_AT_ONCE);
        let message = if chain.longest > MAX_CHAIN {
            format!("more than {MAX_CHAIN} schemas lead to each other here for one and the same value")
        } else if chain.all > most {
            format!("more than {most} schemas apply to one value here, because references repeat them")
        } else {
            return Ok(chain);
        };
        Err(SchemaError::new(self.subschemas.path(id), message))
    }

    fn circle(&self, way: &[SubschemaIndex], target: SubschemaIndex) -> SchemaError {
        let start = way.iter().position(|id| *id == target).unwrap_or(0);
        let pointer = |id: SubschemaIndex| format!("`#{}`", self.subschemas.path(id).to_pointer());
        let mut names: Vec<_> = way[start..].iter().take(NAMED).map(|id| pointer(*id)).collect();
        if way.len() - start > NAMED {
            names.push("…".to_owned());
        }
        names.push(pointer(target));
        let message = format!(
            "it leads back to itself for the same value, which has no end: {}; recursion has to go through \
             `properties`, `items` or another part of the value",
            names.join(" → ")
        );
        SchemaError::new(self.subschemas.path(target), message)
    }
}

/// Returns whether `value` has more levels of brackets than `levels`. Recursion stops there.
pub(crate) fn nests_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(list) => levels == 0 || list.iter().any(|inside| nests_deeper(inside, levels - 1)),
        Value::Object(object) => {
            levels == 0 || object.values().any(|inside| nests_deeper(inside, levels - 1))
        }
        _ => false,
    }
}

fn drop_iteratively(value: Value) {
    let mut to_do = vec![value];
    while let Some(value) = to_do.pop() {
        match value {
            Value::Array(list) => to_do.extend(list),
            Value::Object(object) => to_do.extend(object.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
}
