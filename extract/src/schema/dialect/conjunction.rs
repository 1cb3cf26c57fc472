//! Merges everything that applies to one value into one set of keywords: `allOf`, and the keywords
//! beside `$ref`.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    projection::{Inexpressible, ProjectionFailure, ProjectionResult, UnenforcedConstraint},
    scopes,
};
use crate::{
    schema::view::{
        MAX_CHAIN, REFERENCES, SchemaView,
        keywords::{ComparedValue, is_inert, types},
        reference,
    },
    vocabulary::path::Path,
};

/// Keywords beside a reference that have to be merged: without them another object would be
/// allowed.
const STRUCTURE: [&str; 7] =
    ["properties", "required", "additionalProperties", "unevaluatedProperties", "allOf", "anyOf", "oneOf"];

/// Keywords for unevaluated parts, each with the keyword with the same meaning where nothing else
/// can evaluate a part.
pub(super) const UNEVALUATED: [(&str, &str); 2] =
    [("unevaluatedProperties", "additionalProperties"), ("unevaluatedItems", "items")];

/// Keywords that may evaluate a part of a value, depending on the value.
const CONDITIONAL: [&str; 5] = ["if", "then", "else", "dependentSchemas", "contains"];

/// A schema without `allOf`. It has a `$ref` only if it has no other constraint.
#[derive(Default)]
pub(super) struct MergedConjunction {
    pub(super) keywords: Map<String, Value>,
    /// Its `anyOf` and `oneOf`, each with its keyword.
    pub(super) unions: Vec<(&'static str, Vec<Value>)>,
    pub(super) reference: Option<String>,
}

impl MergedConjunction {
    /// Returns whether there are no constraints yet.
    fn is_empty(&self) -> bool {
        self.keywords.keys().all(|keyword| is_inert(keyword))
            && self.unions.is_empty()
            && self.reference.is_none()
    }
}

/// Merges the parts of `schema`, which is at `path`.
pub(super) fn of(
    schema: &Map<String, Value>,
    view: &SchemaView<'_>,
    path: &Path,
    unenforced: &mut Vec<UnenforcedConstraint>,
) -> ProjectionResult<MergedConjunction> {
    ConjunctionMerge { view, path, unenforced, steps: 0 }.reference_or_all_of(schema)
}

struct ConjunctionMerge<'m> {
    view: &'m SchemaView<'m>,
    path: &'m Path,
    unenforced: &'m mut Vec<UnenforcedConstraint>,
    steps: usize,
}

impl ConjunctionMerge<'_> {
    /// Everything in `schema`, or only its reference, if that is everything.
    fn reference_or_all_of(&mut self, schema: &Map<String, Value>) -> ProjectionResult<MergedConjunction> {
        self.count_step()?;
        match self.kept_reference(schema)? {
            Some(kept) => Ok(kept),
            None => self.merged(schema),
        }
    }

    /// Everything in `schema`.
    fn all_of(&mut self, schema: &Map<String, Value>) -> ProjectionResult<MergedConjunction> {
        self.count_step()?;
        self.merged(schema)
    }

    fn count_step(&mut self) -> ProjectionResult<()> {
        self.steps += 1;
        if self.steps > MAX_CHAIN {
            return Err(Inexpressible::new(self.path, "too many schemas have to hold at once here").into());
        }
        Ok(())
    }

    fn merged(&mut self, schema: &Map<String, Value>) -> ProjectionResult<MergedConjunction> {
        let mut all = MergedConjunction::default();
        // The target of a reference comes before the keywords beside it.
        for keyword in REFERENCES {
            if let Some(reference) = schema.get(keyword).and_then(Value::as_str) {
                self.add_target(&mut all, reference)?;
            }
        }
        let mut own: Map<String, Value> =
            schema.iter().filter(|(keyword, _)| is_own(keyword)).map(cloned).collect();
        for (keyword, value) in schema {
            match (keyword.as_str(), value) {
                ("allOf", Value::Array(parts)) => {
                    parts.iter().try_for_each(|part| self.add_part(&mut all, part))?;
                }
                ("anyOf" | "oneOf", Value::Array(branches)) => {
                    self.follow_kept_reference(&mut all)?;
                    let keyword = if keyword == "anyOf" { "anyOf" } else { "oneOf" };
                    all.unions.push((keyword, branches.clone()));
                }
                _ if is_own(keyword) && !own.is_empty() => {
                    let keywords = std::mem::take(&mut own);
                    self.add(&mut all, MergedConjunction { keywords, ..MergedConjunction::default() })?;
                }
                _ => {}
            }
        }
        for (keyword, counterpart) in UNEVALUATED {
            if let Some(value) = schema.get(keyword) {
                self.follow_kept_reference(&mut all)?;
                add_unevaluated(&mut all, keyword, counterpart, value);
            }
        }
        Ok(all)
    }

    /// The reference of `schema`, if it can be kept instead of its target.
    fn kept_reference(&mut self, schema: &Map<String, Value>) -> ProjectionResult<Option<MergedConjunction>> {
        let Some((keyword, reference)) = reference(schema) else { return Ok(None) };
        let target = resolve(self.view, reference, self.path)?;
        let Value::Object(target) = target else { return Ok(None) };
        let is_narrower = |(other, value): &(&String, &Value)| {
            let is_known = *other == "type" && target.get(*other) == Some(*value);
            *other != keyword && !is_inert(other) && !is_known
        };
        let mut narrower = schema.iter().filter(is_narrower).peekable();
        let has_structure = schema.keys().any(|keyword| is_structure(keyword));
        if has_structure || narrower.peek().is_some() && is_scalar(target) {
            return Ok(None);
        }
        narrower.for_each(|(keyword, _)| self.record_unenforced(keyword, "may not stand beside a reference"));
        Ok(Some(MergedConjunction { reference: Some(reference.to_owned()), ..MergedConjunction::default() }))
    }

    fn add_target(&mut self, all: &mut MergedConjunction, reference: &str) -> ProjectionResult<()> {
        match resolve(self.view, reference, self.path)? {
            Value::Object(target) => {
                let target = self.all_of(target)?;
                self.add(all, target)
            }
            Value::Bool(false) => Err(self.never("nothing is accepted here")),
            _ => Ok(()),
        }
    }

    fn add_part(&mut self, all: &mut MergedConjunction, part: &Value) -> ProjectionResult<()> {
        match part {
            Value::Object(part) if !part.is_empty() => {
                let part = if all.is_empty() { self.reference_or_all_of(part) } else { self.all_of(part) }?;
                self.add(all, part)
            }
            Value::Bool(false) => Err(self.never("nothing is accepted here")),
            _ => Ok(()),
        }
    }

    /// Replaces a reference that was kept by its target, once another constraint applies too.
    fn follow_kept_reference(&mut self, all: &mut MergedConjunction) -> ProjectionResult<()> {
        match all.reference.take() {
            Some(reference) => self.add_target(all, &reference),
            None => Ok(()),
        }
    }

    fn add(&mut self, all: &mut MergedConjunction, mut part: MergedConjunction) -> ProjectionResult<()> {
        if part.is_empty() {
            return self.merge_each(all, part.keywords);
        }
        if all.is_empty() {
            let annotations = std::mem::replace(all, part).keywords;
            all.keywords.extend(annotations);
            return Ok(());
        }
        self.follow_kept_reference(all)?;
        self.follow_kept_reference(&mut part)?;
        for (keyword, _) in UNEVALUATED {
            // It would also apply to parts that the other side evaluates.
            let mut is_open = false;
            for side in [&mut all.keywords, &mut part.keywords] {
                if let Some(rest) = side.shift_remove(keyword) {
                    is_open |= rest != false;
                    self.record_unenforced(keyword, "stands beside other constraints");
                }
            }
            if is_open {
                part.keywords.insert(keyword.to_owned(), Value::Bool(true));
            }
        }
        if scopes::merge(&mut all.keywords, &mut part.keywords) {
            for keyword in ["patternProperties", "additionalProperties"] {
                self.record_unenforced(keyword, scopes::BY_PATTERN);
            }
        }
        self.merge_each(all, part.keywords)?;
        all.unions.extend(part.unions);
        Ok(())
    }

    fn merge_each(
        &mut self,
        all: &mut MergedConjunction,
        keywords: Map<String, Value>,
    ) -> ProjectionResult<()> {
        keywords.into_iter().try_for_each(|(keyword, value)| self.merge(all, &keyword, value))
    }

    fn merge(&mut self, all: &mut MergedConjunction, keyword: &str, value: Value) -> ProjectionResult<()> {
        let Some(known) = all.keywords.get_mut(keyword) else {
            all.keywords.insert(keyword.to_owned(), value);
            return Ok(());
        };
        if *known == value || is_inert(keyword) {
            return Ok(());
        }
        match (keyword, known, &value) {
            ("required", Value::Array(known), Value::Array(more)) => {
                let mut seen: HashSet<Value> = known.iter().cloned().collect();
                known.extend(more.iter().filter(|name| seen.insert((*name).clone())).cloned());
            }
            ("type", known, more) => match common_types(known, more) {
                Some(types) => *known = types,
                None => return Err(self.never("no type satisfies all of its parts")),
            },
            ("enum", Value::Array(known), Value::Array(more)) => {
                let more: HashSet<ComparedValue<'_>> = more.iter().map(ComparedValue::of).collect();
                known.retain(|value| more.contains(&ComparedValue::of(value)));
                if known.is_empty() {
                    return Err(self.never("no value is in all of its lists"));
                }
            }
            ("const", known, more) if ComparedValue::of(known) != ComparedValue::of(more) => {
                return Err(self.never("no value satisfies all of its parts"));
            }
            ("const", ..) => {}
            ("uniqueItems", known, more) => *known = Value::Bool(*known == true || *more == true),
            ("minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties", known, more) => {
                if is_less(known, more) {
                    *known = more.clone();
                }
            }
            ("maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties", known, more) => {
                if is_less(more, known) {
                    *known = more.clone();
                }
            }
            _ => self.record_unenforced(keyword, "stands here more than once"),
        }
        Ok(())
    }

    fn never(&self, reason: &str) -> ProjectionFailure {
        ProjectionFailure::Never(Inexpressible::new(self.path, reason))
    }

    fn record_unenforced(&mut self, keyword: &str, reason: &'static str) {
        self.unenforced.push(UnenforcedConstraint::new(self.path.clone(), keyword, reason));
    }
}

/// Returns whether a keyword is merged as it is.
fn is_own(keyword: &str) -> bool {
    !matches!(keyword, "allOf" | "anyOf" | "oneOf")
        && !REFERENCES.contains(&keyword)
        && !UNEVALUATED.iter().any(|(unevaluated, _)| *unevaluated == keyword)
}

fn cloned((keyword, value): (&String, &Value)) -> (String, Value) {
    (keyword.clone(), value.clone())
}

/// Returns whether a branch only says which keys are present or absent.
pub(super) fn is_about_names(branch: &Value) -> bool {
    let Some(branch) = branch.as_object() else { return false };
    branch.len() == 1
        && (branch.contains_key("required")
            || branch.get("not").is_some_and(|not| {
                let any_of = not.get("anyOf").and_then(Value::as_array);
                is_about_names(not) || any_of.is_some_and(|all| all.iter().all(is_about_names))
            }))
}

pub(super) fn is_about_presence(branches: &[Value]) -> bool {
    !branches.is_empty() && branches.iter().all(is_about_names)
}

/// Unevaluated parts are known once everything is merged, unless they depend on the value.
fn add_unevaluated(all: &mut MergedConjunction, keyword: &str, counterpart: &str, value: &Value) {
    // The counterpart, or the same keyword of a part, evaluates everything that is left.
    if [keyword, counterpart].iter().any(|known| all.keywords.contains_key(*known)) {
        return;
    }
    let depends_on_value = all.unions.iter().any(|(_, branches)| !is_about_presence(branches))
        || CONDITIONAL.iter().any(|keyword| all.keywords.contains_key(*keyword));
    let keyword = if depends_on_value { keyword } else { counterpart };
    all.keywords.insert(keyword.to_owned(), value.clone());
}

/// Returns whether a schema contains nothing that could lead back to it.
fn is_scalar(schema: &Map<String, Value>) -> bool {
    let is_container = |kind: &&str| matches!(*kind, "object" | "array");
    let kinds = schema.get("type").map(types).unwrap_or_default();
    !kinds.is_empty()
        && !kinds.iter().any(is_container)
        && !schema.keys().any(|keyword| is_structure(keyword) || REFERENCES.contains(&keyword.as_str()))
}

fn is_structure(keyword: &str) -> bool {
    STRUCTURE.contains(&keyword)
}

fn common_types(one: &Value, other: &Value) -> Option<Value> {
    let (one, other) = (types(one), types(other));
    let is_in =
        |name: &str, list: &[&str]| list.contains(&name) || name == "integer" && list.contains(&"number");
    let mut common: Vec<_> = one.iter().copied().filter(|name| is_in(name, &other)).collect();
    common.extend(other.iter().filter(|name| is_in(name, &one) && !one.contains(name)));
    match common[..] {
        [] => None,
        [only] => Some(Value::from(only)),
        _ => Some(Value::from(common)),
    }
}

fn is_less(one: &Value, other: &Value) -> bool {
    match (one.as_i64(), other.as_i64(), one.as_u64(), other.as_u64()) {
        (Some(one), Some(other), ..) => one < other,
        (.., Some(one), Some(other)) => one < other,
        _ => one.as_f64() < other.as_f64(),
    }
}

/// The target of `reference`, after any number of references.
pub(super) fn resolve<'r>(
    view: &SchemaView<'r>,
    reference: &str,
    path: &Path,
) -> ProjectionResult<&'r Value> {
    let target = view.target(reference).map(|target| view.meant(target));
    target.filter(|target| target.is_object() || target.is_boolean()).ok_or_else(|| {
        Inexpressible::new(path, format!("`{reference}` is not a reference to a schema in this one")).into()
    })
}
