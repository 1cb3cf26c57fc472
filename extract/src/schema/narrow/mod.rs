//! Changes a schema at one path.
//!
//! The part there gets its own schemas: a definition on the way that is used elsewhere too is
//! copied, so that nothing else changes. In a recursive type the way is unrolled, with one copy per
//! step.

mod definitions;
mod part;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use self::definitions::{DefinitionCopy, new_name, new_names, reference_to, without_names};
pub(crate) use self::part::{
    FittingValues, NarrowedPart, NarrowingFailure, ReachedSchemas, described, is_sensitive, listed,
};
use crate::{
    schema::{
        DistinctNames,
        flatten::is_nothing,
        shown::names_of,
        view::{REFERENCES, SchemaView, keywords::COMPOSING},
    },
    vocabulary::{
        path::{PathPattern, PatternStep, Segment, all_values},
        text::said,
    },
};

/// Replaces the parts of `root` at `place`. Drops examples with a value there that `allows`
/// rejects.
///
/// # Errors
///
/// If `root` does not describe the path, or the way there passes the same definitions too often.
pub(crate) fn narrowed<'s>(
    root: &'s Value,
    place: &PathPattern,
    replace: &mut dyn FnMut(&'s Value) -> NarrowedPart,
    allows: &dyn Fn(&Value) -> bool,
) -> Result<NarrowedPart, NarrowingFailure> {
    let mut walk = NarrowingWalk::new(root, place.steps(), replace, allows);
    let (schema, fits) = walk.root()?;
    let (moved, copies) = walk.into_parts();
    Ok((definitions::settled(schema, root, &moved, copies), fits))
}

/// A narrowing that does not fit the contract: the path does not exist, a value is not allowed
/// there, or no value would be left.
///
/// ```
/// use extract::Contract;
/// use serde_json::json;
///
/// let contract = Contract::from_schema(json!({
///     "type": "object",
///     "properties": {"category": {"type": "string"}},
/// }))?;
/// let error = contract.one_of("$.categry", ["a"]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the contract cannot be narrowed at $.categry: `$` has no key `categry`; did you mean `category`?",
/// );
/// # Ok::<(), extract::schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the contract cannot be narrowed at {place}: {}", said(message))]
pub struct NarrowingError {
    place: PathPattern,
    message: String,
}

impl NarrowingError {
    pub(crate) fn new(place: &PathPattern, message: impl Into<String>) -> Self {
        Self { place: place.clone(), message: message.into() }
    }

    /// Returns the place to be narrowed.
    pub fn place(&self) -> &PathPattern {
        &self.place
    }

    /// Returns the reason and the remedy, without the path.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// Maximum values that are copied beyond one copy of everything. Only a way that passes the same
/// definitions repeatedly copies more.
const MAX_COPIED: usize = 100_000;

/// Walks a schema along a path, and copies the schemas on the way with their replacements: the
/// target of a reference as a new definition, everything else in place.
struct NarrowingWalk<'s, 'c> {
    root: &'s Value,
    view: SchemaView<'s>,
    steps: &'c [PatternStep],
    replace: &'c mut dyn FnMut(&'s Value) -> NarrowedPart,
    allows: &'c dyn Fn(&Value) -> bool,
    /// The schemas that changed in place, by address.
    changed: HashSet<*const Value>,
    copies: Vec<DefinitionCopy<'s>>,
    /// The new definition for the target of a reference at each step count, if it leads to the
    /// narrowed part.
    known: HashMap<(*const Value, usize), Option<(String, FittingValues)>>,
    names: DistinctNames,
    /// Set inside the target of a reference.
    is_copying: bool,
    /// How many more values may be copied.
    left: usize,
    reached: ReachedSchemas,
    /// The last replacement.
    last: Option<Value>,
}

impl<'s, 'c> NarrowingWalk<'s, 'c> {
    fn new(
        root: &'s Value,
        steps: &'c [PatternStep],
        replace: &'c mut dyn FnMut(&'s Value) -> NarrowedPart,
        allows: &'c dyn Fn(&Value) -> bool,
    ) -> Self {
        Self {
            root,
            view: SchemaView::of(root),
            steps,
            replace,
            allows,
            changed: HashSet::new(),
            copies: Vec::new(),
            known: HashMap::new(),
            names: new_names(root),
            is_copying: false,
            left: MAX_COPIED + all_values(root).count(),
            reached: ReachedSchemas::default(),
            last: None,
        }
    }

    /// The schema with its replacements, which may refer to the new definitions.
    fn root(&mut self) -> Result<NarrowedPart, NarrowingFailure> {
        match self.visit(self.root, 0)? {
            Some(found) => Ok(found),
            None => Err(NarrowingFailure::Missing(std::mem::take(&mut self.reached))),
        }
    }

    /// The schemas that changed in place, and the new definitions.
    fn into_parts(self) -> (HashSet<*const Value>, (DistinctNames, Vec<DefinitionCopy<'s>>)) {
        (self.changed, (self.names, self.copies))
    }

    /// A copy of `schema`, which applies after `at` steps, with the narrowed part replaced. `None`
    /// if it does not describe that part.
    fn visit(&mut self, schema: &'s Value, at: usize) -> Result<Option<NarrowedPart>, NarrowingFailure> {
        if at == self.steps.len() {
            self.mark(schema);
            let (schema, fits) = (self.replace)(schema);
            self.last = Some(schema.clone());
            return Ok(Some((schema, fits)));
        }
        // The absence of a flattened field has no values to narrow.
        let Some(object) = schema.as_object().filter(|object| !is_nothing(object)) else { return Ok(None) };
        self.reached.look(at, object);
        let mut found = NarrowedSchema::default();
        self.own(object, at, &mut found)?;
        self.referenced(object, at, &mut found)?;
        self.combined(object, at, &mut found)?;
        let Some(fits) = found.fits else { return Ok(None) };
        self.mark(schema);
        self.drop_examples(object, at, &mut found.edits);
        Ok(Some((found.edits.apply(object, self)?, fits)))
    }

    fn mark(&mut self, schema: &Value) {
        if !self.is_copying {
            self.changed.insert(std::ptr::from_ref(schema));
        }
    }

    /// Visits the parts of `object` that the next step leads to.
    fn own(
        &mut self,
        object: &'s Map<String, Value>,
        at: usize,
        found: &mut NarrowedSchema<'s>,
    ) -> Result<(), NarrowingFailure> {
        match &self.steps[at] {
            PatternStep::Key(key) => {
                let Some(properties) = object.get("properties").and_then(Value::as_object) else {
                    return Ok(());
                };
                // A field with aliases is narrowed under each of its names.
                let names = names_of(object, key);
                let is_name = |name: &str| name == key.as_str() || names.iter().any(|other| other == name);
                for (name, schema) in properties.iter().filter(|(name, _)| is_name(name)) {
                    if let Some((schema, fits)) = self.visit(schema, at + 1)? {
                        found.edits.part("properties", Segment::Key(name.as_str().into()), schema);
                        found.and(fits);
                    }
                }
                Ok(())
            }
            PatternStep::Index(index) => {
                let positions = object.get("prefixItems").and_then(Value::as_array);
                match positions.and_then(|positions| positions.get(*index)) {
                    Some(schema) => self.element("prefixItems", *index, schema, at, found),
                    None => Ok(()),
                }
            }
            PatternStep::Each => self.each(object, at, found),
        }
    }

    fn each(
        &mut self,
        object: &'s Map<String, Value>,
        at: usize,
        found: &mut NarrowedSchema<'s>,
    ) -> Result<(), NarrowingFailure> {
        for keyword in ["items", "additionalProperties"] {
            let Some(schema) = object.get(keyword).filter(|schema| **schema != Value::Bool(false)) else {
                continue;
            };
            if let Some((schema, fits)) = self.visit(schema, at + 1)? {
                found.edits.whole(keyword, Some(schema));
                found.and(fits);
            }
        }
        let positions = object.get("prefixItems").and_then(Value::as_array);
        for (index, schema) in positions.into_iter().flatten().enumerate() {
            self.element("prefixItems", index, schema, at, found)?;
        }
        let patterns = object.get("patternProperties").and_then(Value::as_object);
        for (pattern, schema) in patterns.into_iter().flatten() {
            if let Some((schema, fits)) = self.visit(schema, at + 1)? {
                found.edits.part("patternProperties", Segment::Key(pattern.as_str().into()), schema);
                found.and(fits);
            }
        }
        Ok(())
    }

    fn element(
        &mut self,
        keyword: &'static str,
        index: usize,
        schema: &'s Value,
        at: usize,
        found: &mut NarrowedSchema<'s>,
    ) -> Result<(), NarrowingFailure> {
        if let Some((schema, fits)) = self.visit(schema, at + 1)? {
            found.edits.part(keyword, Segment::Index(index), schema);
            found.and(fits);
        }
        Ok(())
    }

    fn referenced(
        &mut self,
        object: &'s Map<String, Value>,
        at: usize,
        found: &mut NarrowedSchema<'s>,
    ) -> Result<(), NarrowingFailure> {
        for keyword in REFERENCES {
            let Some(reference) = object.get(keyword).and_then(Value::as_str) else { continue };
            let Some(target) = self.view.target(reference) else { continue };
            if let Some((name, fits)) = self.target(reference, target, at)? {
                found.edits.whole(keyword, Some(Value::from(reference_to(&name))));
                found.and(fits);
            }
        }
        Ok(())
    }

    /// Returns the new definition for a target, if it leads to the narrowed part.
    fn target(
        &mut self,
        reference: &'s str,
        target: &'s Value,
        at: usize,
    ) -> Result<Option<(String, FittingValues)>, NarrowingFailure> {
        let key = (std::ptr::from_ref(target), at);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let was_copying = std::mem::replace(&mut self.is_copying, true);
        let visited = self.visit(target, at);
        self.is_copying = was_copying;
        let copy = visited?.map(|(schema, fits)| {
            let name = new_name(&mut self.names, reference);
            self.copies.push(DefinitionCopy { name: name.clone(), reference, target, schema });
            (name, fits)
        });
        self.known.insert(key, copy.clone());
        Ok(copy)
    }

    /// Visits `allOf`, whose parts all apply, and unions.
    fn combined(
        &mut self,
        object: &'s Map<String, Value>,
        at: usize,
        found: &mut NarrowedSchema<'s>,
    ) -> Result<(), NarrowingFailure> {
        for keyword in COMPOSING {
            let branches = object.get(keyword).and_then(Value::as_array);
            let mut of_any: Option<FittingValues> = None;
            let mut open = Vec::new();
            for (index, schema) in branches.into_iter().flatten().enumerate() {
                let Some((schema, fits)) = self.visit(schema, at)? else {
                    open.extend(is_open(schema).then_some((index, schema)));
                    continue;
                };
                found.edits.part(keyword, Segment::Index(index), schema);
                if keyword == "allOf" {
                    found.and(fits);
                } else {
                    of_any = Some(match of_any {
                        Some(before) => before.or(&fits),
                        None => fits,
                    });
                }
            }
            let Some(fits) = of_any else { continue };
            // An alternative that any value satisfies would bypass the narrowing.
            if let Some(last) = self.last.clone().filter(|_| !fits.is_empty()) {
                for (index, schema) in open {
                    self.mark(schema);
                    found.edits.part(keyword, Segment::Index(index), around(&self.steps[at..], last.clone()));
                }
            }
            found.and(fits);
        }
        Ok(())
    }

    /// Drops examples of the values around the part that no longer conform; the agent would see
    /// them.
    fn drop_examples(&self, object: &'s Map<String, Value>, at: usize, edits: &mut SchemaEdits<'s>) {
        let conforms = |value: &&Value| conforms(value, &self.steps[at..], self.allows);
        if let Some(Value::Array(examples)) = object.get("examples") {
            let kept: Vec<Value> = examples.iter().filter(conforms).cloned().collect();
            if kept.len() < examples.len() {
                edits.whole("examples", (!kept.is_empty()).then_some(Value::Array(kept)));
            }
        }
        if object.get("default").is_some_and(|default| !conforms(&default)) {
            edits.whole("default", None);
        }
    }
}

/// Returns whether any value satisfies `schema`.
fn is_open(schema: &Value) -> bool {
    schema.as_bool().unwrap_or_else(|| schema.as_object().is_some_and(Map::is_empty))
}

/// A schema that applies `part` at `steps` and restricts nothing else.
fn around(steps: &[PatternStep], part: Value) -> Value {
    steps.iter().rev().fold(part, |part, step| match step {
        PatternStep::Key(key) => json!({"properties": {(key.as_str()): part}}),
        PatternStep::Index(index) => {
            let mut positions = vec![Value::Bool(true); *index];
            positions.push(part);
            json!({"prefixItems": positions})
        }
        PatternStep::Each => json!({"items": part.clone(), "additionalProperties": part}),
    })
}

/// The replacements that one schema makes for the narrowed part.
#[derive(Default)]
struct NarrowedSchema<'s> {
    edits: SchemaEdits<'s>,
    fits: Option<FittingValues>,
}

impl NarrowedSchema<'_> {
    fn and(&mut self, fits: FittingValues) {
        self.fits = Some(match self.fits.take() {
            Some(before) => before.and(&fits),
            None => fits,
        });
    }
}

impl NarrowingWalk<'_, '_> {
    /// A copy of the value of a keyword that is not replaced. A new definition leaves names with the
    /// original, and counts against the limit; the root keeps its definitions and names.
    fn copied(&mut self, keyword: &str, value: &Value) -> Result<Option<Value>, NarrowingFailure> {
        if !self.is_copying {
            return Ok(Some(value.clone()));
        }
        self.pay(value)?;
        let mut around = without_names(Value::Object(Map::from_iter([(keyword.to_owned(), value.clone())])));
        Ok(around.as_object_mut().and_then(|copy| copy.shift_remove(keyword)))
    }

    /// The same for one of several schemas under a keyword.
    fn copied_schema(&mut self, schema: &Value) -> Result<Value, NarrowingFailure> {
        if !self.is_copying {
            return Ok(schema.clone());
        }
        self.pay(schema)?;
        Ok(without_names(schema.clone()))
    }

    fn pay(&mut self, value: &Value) -> Result<(), NarrowingFailure> {
        self.left = self.left.checked_sub(all_values(value).count()).ok_or(NarrowingFailure::TooLarge)?;
        Ok(())
    }
}

/// The replacements of parts of one schema, by keyword.
#[derive(Default)]
struct SchemaEdits<'s>(HashMap<&'s str, SchemaEdit>);

enum SchemaEdit {
    Whole(Option<Value>),
    Parts(HashMap<Segment, Value>),
}

impl<'s> SchemaEdits<'s> {
    /// Replaces the value of a keyword; `None` drops it.
    fn whole(&mut self, keyword: &'s str, value: Option<Value>) {
        self.0.insert(keyword, SchemaEdit::Whole(value));
    }

    /// Replaces the entry or the element at `step` of the value of a keyword.
    fn part(&mut self, keyword: &'s str, step: Segment, value: Value) {
        let edit = self.0.entry(keyword).or_insert_with(|| SchemaEdit::Parts(HashMap::new()));
        if let SchemaEdit::Parts(parts) = edit {
            parts.insert(step, value);
        }
    }

    /// A copy of `object` with the replacements.
    fn apply(
        mut self,
        object: &Map<String, Value>,
        walk: &mut NarrowingWalk<'_, '_>,
    ) -> Result<Value, NarrowingFailure> {
        let mut edited = Map::new();
        for (keyword, value) in object {
            let value = match (self.0.remove(keyword.as_str()), value) {
                (Some(SchemaEdit::Whole(new)), _) => new,
                (Some(SchemaEdit::Parts(mut new)), old) => {
                    let parts = Segment::parts(old).map(|(step, schema)| {
                        new.remove(&step).map_or_else(|| walk.copied_schema(schema), Ok)
                    });
                    Some(match old {
                        Value::Object(old) => {
                            let entries = old.keys().cloned().zip(parts);
                            entries.map(|(key, part)| Ok((key, part?))).collect::<Result<_, _>>()?
                        }
                        _ => parts.collect::<Result<_, _>>()?,
                    })
                }
                (_, value) => walk.copied(keyword, value)?,
            };
            edited.extend(value.map(|value| (keyword.clone(), value)));
        }
        Ok(Value::Object(edited))
    }
}

/// Returns whether `allows` accepts every value at `steps` in `value`.
fn conforms(value: &Value, steps: &[PatternStep], allows: &dyn Fn(&Value) -> bool) -> bool {
    let Some((step, rest)) = steps.split_first() else { return allows(value) };
    let conforms = |value: &Value| conforms(value, rest, allows);
    match (step, value) {
        (PatternStep::Key(key), Value::Object(object)) => object.get(key.as_str()).is_none_or(conforms),
        (PatternStep::Index(index), Value::Array(list)) => list.get(*index).is_none_or(conforms),
        (PatternStep::Each, Value::Array(list)) => list.iter().all(conforms),
        (PatternStep::Each, Value::Object(object)) => object.values().all(conforms),
        _ => true,
    }
}
