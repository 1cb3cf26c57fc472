//! Generates a value that satisfies a schema.
//!
//! The values that the schema states come first: `examples`, `const`, `enum`, `default`. The rest
//! is made up: small, plausible, and finite under recursion. If no small value exists, there is no
//! example.

mod scalars;

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

pub(crate) use self::scalars::format_example;
use self::scalars::{ExampleBudget, NumberKind, count};
use crate::schema::{
    is_deprecated,
    joint::{about_value, is_null, joint_parts, joint_schema},
    validator_options,
    view::{
        REFERENCES, SchemaView, is_only_reference,
        keywords::{implied_by_parts, implied_type, list, named, required, types},
    },
};

/// Maximum nesting of objects and arrays; a deeper example does not help.
const MAX_DEPTH: usize = 24;

/// The cost of compiling a pattern and matching a key with it, in steps.
const MATCHING: usize = 64;

/// Returns a small value that satisfies the keywords of `schema` that can be followed. `None` if no
/// value fits the [budget](ExampleBudget).
///
/// Some keywords cannot be followed (`not`, `if`, look-around in a pattern). The caller's validator
/// has to check the value.
pub(crate) fn example(schema: &Value) -> Option<Value> {
    generated(schema, &ExampleChoices::default(), |value, _| Some(value))
}

/// Returns a small value that takes the alternatives in `choices`, and its part that takes the last
/// of them. `None` if no value fits the budget.
pub(super) fn example_with(schema: &Value, choices: &ExampleChoices) -> Option<(Value, Value)> {
    generated(schema, choices, |whole, choices| Some((whole, choices.part?)))
}

/// The first value within the budget, from the most to the least that is shown, that `finish` takes.
fn generated<T>(
    schema: &Value,
    choices: &ExampleChoices,
    finish: impl Fn(Value, ExampleChoices) -> Option<T>,
) -> Option<T> {
    [ExampleExtent::All, ExampleExtent::Once, ExampleExtent::Required].into_iter().find_map(|extent| {
        let mut generator = ExampleGenerator::new(schema, extent, choices.clone());
        let value = generator.value(schema)?;
        if generator.budget.allows(&value) { finish(value, generator.choices) } else { None }
    })
}

/// The address of the list of alternatives of a union, or of a list of values.
pub(super) type UnionAddress = *const Value;

/// The choices that the generator has to make, and where.
#[derive(Debug, Clone, Default)]
pub(super) struct ExampleChoices {
    /// The alternative in each union on the way. Each counts once, so a recursive one has an end.
    left: HashMap<UnionAddress, usize>,
    /// The last of them.
    last: Option<UnionAddress>,
    /// The schemas around the last one. A value stated for one of them may take another way.
    around: HashSet<*const Value>,
    /// The value for the last one.
    part: Option<Value>,
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

    fn is_around(&self, schema: &Value) -> bool {
        self.around.contains(&std::ptr::from_ref(schema))
    }

    /// The choice for `alternatives`, and whether it is the last.
    fn take(&mut self, alternatives: &[Value]) -> Option<(usize, bool)> {
        let union = alternatives.as_ptr();
        Some((self.left.remove(&union)?, self.last == Some(union)))
    }
}

/// How much is shown. If an example becomes too large, the next extent is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExampleExtent {
    /// Everything that is allowed.
    All,
    /// Each definition in full once, and after that only what it requires. Otherwise definitions
    /// that refer to each other would repeat in every order.
    Once,
    /// Only what is required.
    Required,
}

struct ExampleGenerator<'s> {
    view: SchemaView<'s>,
    /// The targets of the references being followed. A repeated one is recursion.
    entered: Vec<*const Value>,
    depth: usize,
    budget: ExampleBudget,
    extent: ExampleExtent,
    shown: HashSet<*const Value>,
    /// Whether only what is required is shown here.
    is_lean: bool,
    choices: ExampleChoices,
}

impl<'s> ExampleGenerator<'s> {
    fn new(root: &'s Value, extent: ExampleExtent, choices: ExampleChoices) -> Self {
        Self {
            view: SchemaView::of(root),
            entered: Vec::new(),
            depth: 0,
            budget: ExampleBudget::new(),
            extent,
            shown: HashSet::new(),
            is_lean: extent == ExampleExtent::Required,
            choices,
        }
    }

    /// A value for `schema`. `None` if the recursion has no end here, so the caller tries another
    /// way, or if the budget is used up.
    fn value(&mut self, schema: &'s Value) -> Option<Value> {
        self.budget.take(1)?;
        let Value::Object(object) = schema else {
            // `true` allows any value; `false` allows none.
            return (schema != &Value::Bool(false)).then(|| Value::from("value"));
        };
        if let Some(listed) = self.chosen(object) {
            return self.budget.copy(listed);
        }
        if let Some(stated) = stated(object).filter(|_| !self.choices.is_around(schema)) {
            return self.budget.copy(stated);
        }
        if is_condition(object) {
            return Some(Value::Object(Map::new()));
        }
        self.deeper(|example| example.composed(object))
    }

    /// A value one level further inside; `None` if that is too deep.
    fn deeper(&mut self, value: impl FnOnce(&mut Self) -> Option<Value>) -> Option<Value> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let value = value(self);
        self.depth -= 1;
        value
    }

    fn composed(&mut self, object: &'s Map<String, Value>) -> Option<Value> {
        if let Some(parts) = self.joined_parts(object) {
            return self.joined(&parts);
        }
        let mut parts = Vec::new();
        for reference in REFERENCES.into_iter().filter_map(|keyword| object.get(keyword)?.as_str()) {
            parts.push(self.referenced(self.view.target(reference)?)?);
        }
        for schema in list(object, "allOf") {
            parts.push(self.value(schema)?);
        }
        if let Some(branches) = object.get("oneOf").or_else(|| object.get("anyOf")).and_then(Value::as_array)
        {
            parts.push(self.branch(branches)?);
        }
        // Beside other parts, an object contributes the properties that it names, and a bare `type`
        // contributes nothing.
        if parts.is_empty() || object.contains_key("properties") {
            parts.insert(0, self.typed(object)?);
        }
        parts.into_iter().reduce(merged)
    }

    fn referenced(&mut self, target: &'s Value) -> Option<Value> {
        let outside = self.entered.len();
        let value = self.enter(target).and_then(|target| self.entered_value(target));
        self.entered.truncate(outside);
        value
    }

    /// The end of a chain of plain references; `None` if one of its targets is already being
    /// followed.
    fn enter(&mut self, target: &'s Value) -> Option<&'s Value> {
        let view = self.view.clone();
        for target in view.chain(target) {
            let address = std::ptr::from_ref(target);
            if self.entered.contains(&address) {
                return None;
            }
            self.entered.push(address);
            if !is_only_reference(target) || target.as_object().is_some_and(|object| stated(object).is_some())
            {
                return Some(target);
            }
        }
        None
    }

    fn entered_value(&mut self, target: &'s Value) -> Option<Value> {
        let address = std::ptr::from_ref(target);
        let was_lean = self.is_lean;
        let is_new = self.extent == ExampleExtent::Once && self.shown.insert(address);
        self.is_lean |= self.extent == ExampleExtent::Once && !is_new;
        let value = self.value(target);
        self.is_lean = was_lean;
        if is_new && value.is_none() {
            self.shown.remove(&address);
        }
        value
    }

    /// The listed value that is to be chosen.
    fn chosen(&mut self, object: &'s Map<String, Value>) -> Option<&'s Value> {
        let values = object.get("enum").and_then(Value::as_array)?;
        let (index, is_last) = self.choices.take(values)?;
        if is_last {
            self.choices.part = values.get(index).cloned();
        }
        values.get(index)
    }

    fn branch(&mut self, branches: &'s [Value]) -> Option<Value> {
        let Some((index, is_last)) = self.choices.take(branches) else {
            return self.first_possible(branches);
        };
        // Inside the alternative, its union may be entered once more.
        let entered = std::mem::take(&mut self.entered);
        let value = self.value(branches.get(index)?);
        self.entered = entered;
        if is_last {
            self.choices.part.clone_from(&value);
        }
        value
    }

    /// Returns the first alternative other than null that has an end, else null.
    fn first_possible(&mut self, branches: &'s [Value]) -> Option<Value> {
        let view = self.view.clone();
        let is_null =
            |branch: &'s Value| view.followed(branch).get("type").and_then(Value::as_str) == Some("null");
        let mut others = branches.iter().filter(|branch| !is_null(branch));
        if self.is_lean && branches.iter().any(is_null) {
            return Some(Value::Null);
        }
        others
            .find_map(|branch| self.value(branch))
            .or_else(|| branches.iter().any(is_null).then_some(Value::Null))
    }

    fn typed(&mut self, object: &'s Map<String, Value>) -> Option<Value> {
        match type_of(object)? {
            "object" => self.object(object),
            "array" => self.array_of(&[object]),
            kind => scalar_example(kind, object, &mut self.budget),
        }
    }

    fn object(&mut self, object: &'s Map<String, Value>) -> Option<Value> {
        let mut value = Map::new();
        let is_required: HashSet<&str> = required(object).collect();
        for (key, schema) in named(object, "properties") {
            let is_required = is_required.contains(key.as_str());
            // The aliases of a field are accepted, but not shown. A property about which nothing is said is
            // described elsewhere.
            let is_left_out =
                || self.is_lean || is_deprecated(schema) || *schema == Value::Object(Map::new());
            if !is_required && is_left_out() {
                continue;
            }
            self.budget.take(key.len())?;
            match self.value(schema) {
                Some(property) => drop(value.insert(key.clone(), property)),
                None if is_required => return None,
                None => {}
            }
        }
        for key in required(object) {
            if !value.contains_key(key) {
                value.insert(key.to_owned(), self.required_entry(object, key)?);
            }
        }
        let wanted = count(object, "minProperties").max(usize::from(value.is_empty() && !self.is_lean));
        let mut number = 0;
        while value.len() < wanted && number < wanted.saturating_add(MAX_DEPTH) {
            number += 1;
            let Some(key) = self.entry_key(object, number) else { break };
            match self.entry(object, &key) {
                Some(entry) => drop(value.insert(key, entry)),
                None => break,
            }
        }
        Some(Value::Object(value))
    }

    /// A value for a required key that `properties` does not name. Where nothing is said about other
    /// keys, any is allowed.
    fn required_entry(&mut self, object: &'s Map<String, Value>, key: &str) -> Option<Value> {
        let is_open = !object.contains_key("additionalProperties");
        self.entry(object, key).or_else(|| is_open.then(|| Value::from("value")))
    }

    /// A value for a key that `properties` does not name; `None` if none is allowed.
    fn entry(&mut self, object: &'s Map<String, Value>, key: &str) -> Option<Value> {
        self.budget.take(key.len())?;
        for (pattern, schema) in named(object, "patternProperties") {
            self.budget.take(MATCHING)?;
            if scalars::is_match(pattern, key) {
                return self.value(schema);
            }
        }
        self.value(object.get("additionalProperties")?)
    }

    /// The `number`th made-up key of a map.
    fn entry_key(&mut self, object: &'s Map<String, Value>, number: usize) -> Option<String> {
        let names = object.get("propertyNames").map(|names| {
            // The keys of a flattened map follow those of other fields.
            let options = names.get("anyOf").and_then(Value::as_array);
            self.view.followed(options.and_then(|options| options.last()).unwrap_or(names))
        });
        if let Some(names) = names.and_then(Value::as_object) {
            // No key that satisfies several schemas is made up.
            if names.contains_key("allOf") {
                return None;
            }
            if let Some(options) = names.get("enum").and_then(Value::as_array) {
                return options.get(number - 1)?.as_str().map(str::to_owned);
            }
            if number == 1 {
                return scalars::string_example(names, &mut self.budget);
            }
        }
        if let Some((pattern, _)) = named(object, "patternProperties").next() {
            return (number == 1).then(|| scalars::matching_example(pattern, 0, &mut self.budget)).flatten();
        }
        Some(if number == 1 { "key".to_owned() } else { format!("key{number}") })
    }

    /// `schema`, or the target of its references that lists values.
    fn listing(&self, schema: &'s Value) -> &'s Value {
        self.view.chain(schema).find(|schema| schema.get("enum").is_some()).unwrap_or(schema)
    }

    /// An array that satisfies all of `parts`.
    fn array_of(&mut self, parts: &[&'s Map<String, Value>]) -> Option<Value> {
        let mut value = Vec::new();
        let first = parts.iter().find_map(|part| part.get("prefixItems")?.as_array());
        for schema in first.into_iter().flatten() {
            value.push(self.value(schema)?);
        }
        let least = parts.iter().map(|part| count(part, "minItems")).max().unwrap_or(0);
        let most = parts.iter().filter_map(|part| part.get("maxItems")?.as_u64()).min().unwrap_or(u64::MAX);
        // One element shows the form of all.
        let wanted = least.max(usize::from(!self.is_lean));
        let items: Vec<_> = parts.iter().filter_map(|part| part.get("items")).collect();
        if let Some(listing) = items.iter().map(|items| self.listing(items)).reduce(narrower) {
            let is_unique = parts.iter().any(|part| part.get("uniqueItems") == Some(&Value::Bool(true)));
            let mut distinct = is_unique.then(|| DistinctElements::new(&value, listing));
            // Joining the schemas of a scalar again would give the same value.
            let mut scalar: Option<Value> = None;
            while value.len() < wanted && (value.len() as u64) < most {
                let element = match &scalar {
                    Some(scalar) => self.budget.copy(scalar),
                    None => self.element(&items),
                };
                let Some(element) = element else { break };
                if items.len() > 1 && !element.is_object() && !element.is_array() {
                    scalar.get_or_insert_with(|| element.clone());
                }
                value.push(match &mut distinct {
                    Some(distinct) => distinct.from(element)?,
                    None => element,
                });
            }
        } else if let Some(schema) = parts.iter().find_map(|part| part.get("contains")) {
            value.push(self.value(schema)?);
        }
        (value.len() >= least).then_some(Value::Array(value))
    }
}

/// Values that several schemas describe, such as that of a newtype and the constraints of the field that
/// holds it. Each of them alone would give a value that the others refuse.
impl<'s> ExampleGenerator<'s> {
    /// The schemas that describe the value of `object`, which is not an object itself, if more than
    /// one of them constrains it; `None` if it is simpler, or a choice between several.
    fn joined_parts(&self, object: &'s Map<String, Value>) -> Option<Vec<&'s Map<String, Value>>> {
        if self.is_lean && ["anyOf", "oneOf"].into_iter().any(|union| list(object, union).any(is_null)) {
            return None;
        }
        let parts = joint_parts(object, &self.view)?;
        (parts.len() > 1 && kind_of(&parts)? != "object").then_some(parts)
    }

    /// A value that satisfies all of `parts`, which [`joined_parts`](Self::joined_parts) has found.
    fn joined(&mut self, parts: &[&'s Map<String, Value>]) -> Option<Value> {
        match kind_of(parts)? {
            "array" => self.array_of(parts),
            kind => self.scalar(parts, kind),
        }
    }

    /// An element that satisfies all of `items`.
    fn element(&mut self, items: &[&'s Value]) -> Option<Value> {
        let [first, .., _] = items else { return self.value(items.first()?) };
        let mut parts = Vec::new();
        for items in items {
            parts.extend(joint_parts(items.as_object()?, &self.view)?);
        }
        if kind_of(&parts).is_none_or(|kind| kind == "object") {
            return self.value(first);
        }
        self.budget.take(parts.len())?;
        self.deeper(|example| example.joined(&parts))
    }

    fn scalar(&mut self, parts: &[&'s Map<String, Value>], kind: &str) -> Option<Value> {
        let validator = validator_options().build(&joint_schema(parts)).ok()?;
        let stated = parts
            .iter()
            .flat_map(|part| list(part, "examples").chain(part.get("const")).chain(list(part, "enum")));
        let stated = stated.filter(|value| !value.is_null()).find(|value| validator.is_valid(value));
        if let Some(stated) = stated {
            return self.budget.copy(stated);
        }
        // The tightest bounds, with each pattern and format in turn.
        let mut tightest = Map::new();
        for (keyword, value) in parts.iter().flat_map(|part| about_value(part)) {
            let is_tighter = |old: &Value| match (old.as_f64(), value.as_f64()) {
                (Some(old), Some(new)) if keyword.to_lowercase().contains("min") => new > old,
                (Some(old), Some(new)) => new < old,
                _ => false,
            };
            if tightest.get(&keyword).is_none_or(is_tighter) {
                tightest.insert(keyword, value);
            }
        }
        let words = parts.iter().flat_map(|part| ["pattern", "format"].map(|word| part.get_key_value(word)));
        let words = words.flatten().map(Some).chain([None]);
        words.into_iter().find_map(|word| {
            let mut one = tightest.clone();
            if let Some((keyword, value)) = word {
                one.retain(|keyword, _| !matches!(keyword.as_str(), "pattern" | "format"));
                one.insert(keyword.clone(), value.clone());
            }
            scalar_example(kind, &one, &mut self.budget).filter(|value| validator.is_valid(value))
        })
    }
}

/// A value of the type `kind`, which is neither an object nor an array, within the bounds of `object`.
fn scalar_example(kind: &str, object: &Map<String, Value>, budget: &mut ExampleBudget) -> Option<Value> {
    Some(match kind {
        "string" => scalars::string_example(object, budget)?.into(),
        "integer" => scalars::number_example(object, NumberKind::Integer),
        "number" => scalars::number_example(object, NumberKind::Any),
        "boolean" => Value::Bool(true),
        _ => Value::Null,
    })
}

/// Of the schemas of the elements of one list, the one that lists values.
fn narrower<'s>(one: &'s Value, other: &'s Value) -> &'s Value {
    if one.get("enum").is_some() { one } else { other }
}

/// The value that a schema states.
fn stated(object: &Map<String, Value>) -> Option<&Value> {
    list(object, "examples")
        .next()
        .or_else(|| object.get("const"))
        .or_else(|| list(object, "enum").find(|option| !option.is_null()))
        .or_else(|| list(object, "enum").next())
}

/// The type of the example: the first that is not null, else the one that the keywords imply.
fn type_of(object: &Map<String, Value>) -> Option<&str> {
    if let Some(of @ (Value::String(_) | Value::Array(_))) = object.get("type") {
        let names = types(of);
        return names.iter().copied().find(|name| *name != "null").or(names.first().copied());
    }
    let number = implied_type(object).filter(|kind| *kind == "number");
    implied_by_parts(object).or(number).or(Some("string"))
}

/// The type of the value that `parts` describe, if one of them names it.
fn kind_of<'s>(parts: &[&'s Map<String, Value>]) -> Option<&'s str> {
    parts.iter().find(|part| part.contains_key("type")).and_then(|part| type_of(part))
}

/// Returns whether the schema only restricts which keys may occur together, and so adds nothing to
/// an object.
pub(super) fn is_condition(object: &Map<String, Value>) -> bool {
    let is_about_keys = |key: &String| matches!(key.as_str(), "required" | "dependentRequired" | "not");
    !object.is_empty() && object.keys().all(is_about_keys)
}

/// Merges two parts of an `allOf`. Objects get the keys of both; otherwise the later value wins.
fn merged(first: Value, second: Value) -> Value {
    match (first, second) {
        (Value::Object(mut first), Value::Object(second)) => {
            first.extend(second);
            Value::Object(first)
        }
        (_, second) => second,
    }
}

/// Changes elements of a list until they differ.
struct DistinctElements<'s> {
    seen: HashSet<Value>,
    /// Allowed values that have not been tried.
    options: Option<std::slice::Iter<'s, Value>>,
}

impl<'s> DistinctElements<'s> {
    fn new(first: &[Value], schema: &'s Value) -> Self {
        let options = schema.get("enum").and_then(Value::as_array).map(|options| options.iter());
        Self { seen: first.iter().cloned().collect(), options }
    }

    /// `element`, changed if it occurred before.
    fn from(&mut self, element: Value) -> Option<Value> {
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

#[cfg(test)]
mod tests;
