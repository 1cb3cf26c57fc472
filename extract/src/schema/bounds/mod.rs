//! What a schema may ask of one value.
//!
//! `properties`, `items` and their kin lead to a part of the value, so recursion through them ends with the value. `$ref`, `allOf`,
//! `anyOf` and their kin lead to another schema for the same value: a circle of those has no end, and a long or a bushy tree of
//! them takes stack and time for every value, however small. Everything that walks a schema relies on what is checked here.

mod order;
mod places;
mod ways;

use serde_json::Value;

use self::places::{Id, Places};
use super::view::MAX_CHAIN;
use crate::{path::Path, schema::SchemaError};

/// Levels of brackets in a schema. JSON text has 128 at most as `serde_json` reads it; a value that a program puts together may
/// have any number, and everything that looks at it recurses.
const MAX_NESTING: usize = 256;

/// Schemas that may apply to one value at once where references repeat them. Where each is written out, as many as there are.
const MAX_AT_ONCE: usize = 10_000;

/// Schemas inside each other that are applied to a value and its parts. Validating is what takes the most stack, some 2 KB for each
/// of them without optimisation, and explaining what is wrong as much again; threads have 2 MiB as a rule.
const MAX_APPLIED: usize = 512;

/// Names of places that a message has.
const NAMED: usize = 6;

/// Checks that `schema` is not too deep to be looked at. If it is, it is taken apart here: dropping it would recurse as well.
pub(crate) fn check_nesting(schema: Value) -> Result<Value, SchemaError> {
    if !nests_deeper(&schema, MAX_NESTING) {
        return Ok(schema);
    }
    take_apart(schema);
    let message = format!("it nests more than {MAX_NESTING} levels deep");
    Err(SchemaError::new(Path::root(), message))
}

/// What a value of one schema may be, and take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// How many levels of brackets a value may have so that the schema can be applied to all of it.
    pub(crate) depth: usize,
    /// Whether one schema may be asked again and again about the same part of a value: alternatives inside of alternatives
    /// that lead to it. A validator that remembers no answers takes a time that doubles with each of their levels.
    pub(crate) repeats: bool,
}

/// # Errors
///
/// When the schema leads back to itself for the same value, or to too many others.
pub(crate) fn bounds(schema: &Value) -> Result<Bounds, SchemaError> {
    let places = Places::of(schema);
    let chains = Chains::of(&places)?;
    let longest = chains.iter().map(|chain| chain.longest).max().unwrap_or(1);
    Ok(Bounds { depth: MAX_APPLIED / longest, repeats: ways::repeat(&places) })
}

/// What applies to a value where one schema does.
#[derive(Debug, Clone, Copy)]
struct Chain {
    longest: usize,
    all: usize,
}

impl Chain {
    const ONE: Self = Self { longest: 1, all: 1 };
}

struct Chains<'p, 's> {
    places: &'p Places<'s>,
}

impl<'p, 's> Chains<'p, 's> {
    fn of(places: &'p Places<'s>) -> Result<Vec<Chain>, SchemaError> {
        let chains = Self { places };
        let mut known = vec![Chain::ONE; places.len()];
        let target = |id, nth| places.same_value(id).get(nth).copied();
        let circle = |way: &[Id], target| Err(chains.circle(way, target));
        order::visit_targets_first(places.len(), target, circle, |id| {
            known[id] = chains.count(id, &known)?;
            Ok(())
        })?;
        Ok(known)
    }

    /// What applies at `id`, where that of its targets is known.
    fn count(&self, id: Id, known: &[Chain]) -> Result<Chain, SchemaError> {
        let below = self.places.same_value(id).iter().map(|target| known[*target]);
        let chain = below.fold(Chain::ONE, |chain, below| Chain {
            longest: chain.longest.max(1 + below.longest),
            all: chain.all.saturating_add(below.all),
        });
        let most = self.places.len().max(MAX_AT_ONCE);
        let message = if chain.longest > MAX_CHAIN {
            format!("more than {MAX_CHAIN} schemas lead to each other here for one and the same value")
        } else if chain.all > most {
            format!("more than {most} schemas apply to one value here, because references repeat them")
        } else {
            return Ok(chain);
        };
        Err(SchemaError::new(self.places.path(id), message))
    }

    fn circle(&self, way: &[Id], target: Id) -> SchemaError {
        let start = way.iter().position(|id| *id == target).unwrap_or(0);
        let pointer = |id: Id| format!("`#{}`", self.places.path(id).to_pointer());
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
        SchemaError::new(self.places.path(target), message)
    }
}

/// Whether `value` has more levels of brackets than `levels`; recurses no deeper.
pub(crate) fn nests_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(list) => levels == 0 || list.iter().any(|inside| nests_deeper(inside, levels - 1)),
        Value::Object(object) => {
            levels == 0 || object.values().any(|inside| nests_deeper(inside, levels - 1))
        }
        _ => false,
    }
}

fn take_apart(value: Value) {
    let mut to_do = vec![value];
    while let Some(value) = to_do.pop() {
        match value {
            Value::Array(list) => to_do.extend(list),
            Value::Object(object) => to_do.extend(object.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
}
