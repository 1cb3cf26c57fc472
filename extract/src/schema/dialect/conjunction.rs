//! Merges everything that applies to one value into one set of keywords: `allOf`, and the keywords
//! beside `$ref`.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{projection::Inexpressible, unenforced::UnenforcedConstraint};
use crate::{
    path::Path,
    schema::view::{
        MAX_CHAIN, REFERENCES, View,
        keywords::{is_annotation, types},
        reference,
    },
};

/// Keywords beside a reference that have to be merged: without them another object would be
/// allowed.
const STRUCTURE: [&str; 6] = ["properties", "required", "additionalProperties", "allOf", "anyOf", "oneOf"];

/// A schema without `allOf`. It has a `$ref` only if no other constraint stands beside it.
#[derive(Default)]
pub(super) struct Conjunction {
    pub(super) keywords: Map<String, Value>,
    /// Its `anyOf` and `oneOf`, each with its keyword.
    pub(super) unions: Vec<(&'static str, Vec<Value>)>,
    pub(super) reference: Option<String>,
}

/// Merges the parts of `schema`, which is at `path`.
pub(super) fn of(
    schema: &Map<String, Value>,
    view: &View<'_>,
    path: &Path,
    unenforced: &mut Vec<UnenforcedConstraint>,
) -> Result<Conjunction, Inexpressible> {
    let mut merging = Merging { view, path, unenforced, steps: 0, all: Conjunction::default() };
    merging.add(schema)?;
    Ok(merging.all)
}

struct Merging<'m> {
    view: &'m View<'m>,
    path: &'m Path,
    unenforced: &'m mut Vec<UnenforcedConstraint>,
    steps: usize,
    all: Conjunction,
}

impl Merging<'_> {
    fn add(&mut self, schema: &Map<String, Value>) -> Result<(), Inexpressible> {
        self.steps += 1;
        if self.steps > MAX_CHAIN {
            return Err(Inexpressible::new(self.path, "too many schemas have to hold at once here"));
        }
        if let Some((keyword, reference)) = reference(schema) {
            return self.add_reference(keyword, reference, schema);
        }
        for (keyword, value) in schema {
            self.add_keyword(keyword, value)?;
        }
        Ok(())
    }

    fn add_reference(
        &mut self,
        keyword: &str,
        reference: &str,
        schema: &Map<String, Value>,
    ) -> Result<(), Inexpressible> {
        let is_first = self.all.keywords.keys().all(|keyword| is_annotation(keyword))
            && self.all.unions.is_empty()
            && self.all.reference.is_none();
        let has_structure = schema.keys().any(|keyword| is_structure(keyword));
        let mut beside = schema.iter().filter(|(other, _)| *other != keyword);
        let mut narrower = beside.clone().filter(|(keyword, _)| !is_annotation(keyword)).peekable();
        let target = resolve(self.view, reference, self.path)?;
        if is_first && !has_structure && !(narrower.peek().is_some() && is_scalar(target)) {
            self.all.reference = Some(reference.to_owned());
            narrower
                .for_each(|(keyword, _)| self.record_unenforced(keyword, "may not stand beside a reference"));
            return Ok(());
        }
        self.add(target)?;
        beside.try_for_each(|(keyword, value)| self.add_keyword(keyword, value))
    }

    /// Replaces a reference that was kept by its target, once another constraint applies too.
    fn follow_kept_reference(&mut self) -> Result<(), Inexpressible> {
        match self.all.reference.take() {
            Some(reference) => self.add(resolve(self.view, &reference, self.path)?),
            None => Ok(()),
        }
    }

    fn add_keyword(&mut self, keyword: &str, value: &Value) -> Result<(), Inexpressible> {
        if !is_annotation(keyword) {
            self.follow_kept_reference()?;
        }
        match (keyword, value) {
            ("allOf", Value::Array(parts)) => {
                for part in parts {
                    match part {
                        Value::Object(part) if !part.is_empty() => self.add(part)?,
                        Value::Bool(false) => {
                            return Err(Inexpressible::new(self.path, "nothing is accepted here"));
                        }
                        _ => {}
                    }
                }
            }
            ("$ref" | "$dynamicRef", Value::String(reference)) => {
                self.add(resolve(self.view, reference, self.path)?)?;
            }
            ("anyOf", Value::Array(branches)) => self.all.unions.push(("anyOf", branches.clone())),
            ("oneOf", Value::Array(branches)) => self.all.unions.push(("oneOf", branches.clone())),
            _ => self.merge(keyword, value)?,
        }
        Ok(())
    }

    fn merge(&mut self, keyword: &str, value: &Value) -> Result<(), Inexpressible> {
        let Some(known) = self.all.keywords.get_mut(keyword) else {
            self.all.keywords.insert(keyword.to_owned(), value.clone());
            return Ok(());
        };
        if known == value || is_annotation(keyword) {
            return Ok(());
        }
        match (keyword, known, value) {
            ("properties", Value::Object(known), Value::Object(more)) => merge_properties(known, more),
            ("required", Value::Array(known), Value::Array(more)) => {
                let mut seen: HashSet<Value> = known.iter().cloned().collect();
                known.extend(more.iter().filter(|name| seen.insert((*name).clone())).cloned());
            }
            ("type", known, more) => match common_types(known, more) {
                Some(types) => *known = types,
                None => return Err(Inexpressible::new(self.path, "no type satisfies all of its parts")),
            },
            // Each one applies to the properties beside it, so merging would close or open the
            // object.
            ("additionalProperties", known, more) => {
                if !known.is_boolean() || !more.is_boolean() {
                    return Err(Inexpressible::new(self.path, "two maps in one object"));
                }
                *known = Value::Bool(false);
            }
            ("minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties", known, more) => {
                if more.as_f64() > known.as_f64() {
                    *known = more.clone();
                }
            }
            ("maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties", known, more) => {
                if more.as_f64() < known.as_f64() {
                    *known = more.clone();
                }
            }
            _ => self.record_unenforced(keyword, "stands here more than once"),
        }
        Ok(())
    }

    fn record_unenforced(&mut self, keyword: &str, reason: &'static str) {
        self.unenforced.push(UnenforcedConstraint {
            path: self.path.clone(),
            keyword: keyword.to_owned(),
            reason: reason.into(),
        });
    }
}

/// Whether a schema contains nothing that could lead back to it.
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

fn merge_properties(known: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (name, schema) in more {
        match known.get_mut(name) {
            None => {
                known.insert(name.clone(), schema.clone());
            }
            Some(known) if known == schema => {}
            Some(known) => *known = json!({ "allOf": [known.take(), schema] }),
        }
    }
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

/// The target of `reference`, after any number of references.
pub(super) fn resolve<'r>(
    view: &View<'r>,
    reference: &str,
    path: &Path,
) -> Result<&'r Map<String, Value>, Inexpressible> {
    let target = view.target(reference).map(|target| view.meant(target));
    target.and_then(Value::as_object).ok_or_else(|| {
        Inexpressible::new(path, format!("`{reference}` is not a reference to a schema in this one"))
    })
}
