//! Objects and lists.

use std::{cell::Cell, collections::HashSet};

use serde_json::{Map, Value, json};

use super::{
    kinds::nullable,
    node::SchemaProjector,
    projection::{Inexpressible, ProjectionFailure, ProjectionResult, UNSUPPORTED},
    rules::{KeywordSupport, KeywordUse, ObjectRules},
};
use crate::{
    schema::{
        is_deprecated,
        view::{
            SchemaView, keywords,
            keywords::{composed, named},
        },
    },
    vocabulary::path::Path,
};

impl SchemaProjector<'_> {
    pub(super) fn members(
        &mut self,
        out: &mut Map<String, Value>,
        keywords: &Map<String, Value>,
        path: &Path,
    ) -> ProjectionResult<()> {
        let none = Map::new();
        let properties = keywords.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required: HashSet<&str> = keywords::required(keywords).collect();
        let (mut members, mut needed) = (Map::new(), Vec::new());
        // Names that the contract treats in another way than a name that nobody mentions.
        let mut left_out = Vec::new();
        for (name, schema) in properties {
            let path = path.clone().key("properties").key(name);
            let is_required = required.contains(name.as_str());
            if is_deprecated(schema) && !is_required {
                self.record_unenforced(&path, "deprecated", "names are not offered");
                continue;
            }
            let member = match self.place_or_never(schema, &path) {
                Err(ProjectionFailure::Never(_)) if !is_required => {
                    left_out.push(path);
                    continue;
                }
                member => member?,
            };
            let is_needed = is_required || self.rules.requires_all;
            members.insert(name.clone(), if is_required || !is_needed { member } else { nullable(member) });
            needed.extend(is_needed.then(|| Value::from(name.as_str())));
        }
        for name in keywords::required(keywords).filter(|name| !properties.contains_key(*name)) {
            if !members.contains_key(name) {
                members.insert(name.to_owned(), self.unnamed(keywords, name, path)?);
                needed.push(Value::from(name));
            }
        }
        let is_unnamed = !keywords.contains_key("properties")
            || !left_out.is_empty() && left_out.len() == properties.len();
        let rest = self.rest(keywords, is_unnamed, path)?;
        if rest != Some(Value::Bool(false)) {
            for path in left_out {
                self.record_unenforced(&path, "false", "does not apply to a name");
            }
        }
        if !members.is_empty() || self.rules.objects == ObjectRules::Closed {
            out.insert("properties".to_owned(), Value::Object(members));
        }
        if !needed.is_empty() || self.rules.objects == ObjectRules::Closed {
            out.insert("required".to_owned(), Value::Array(needed));
        }
        out.extend(rest.map(|rest| ("additionalProperties".to_owned(), rest)));
        Ok(())
    }

    /// The projection of a required property that `properties` do not describe.
    fn unnamed(&mut self, keywords: &Map<String, Value>, name: &str, path: &Path) -> ProjectionResult<Value> {
        let has_patterns = keywords.contains_key("patternProperties");
        match keywords.get("additionalProperties").filter(|_| !has_patterns) {
            Some(Value::Bool(false)) => Err(ProjectionFailure::Never(Inexpressible::new(
                path,
                format!("{name} is required and forbidden"),
            ))),
            Some(schema @ Value::Object(_)) if self.rules.objects != ObjectRules::Closed => {
                self.place(schema, &path.clone().key("additionalProperties"))
            }
            _ if self.rules.has_any => Ok(json!({})),
            _ => Err(Inexpressible::new(path, format!("{name} is required and not described")).into()),
        }
    }

    /// The projection of `additionalProperties`. An object that `is_unnamed` describes no property.
    fn rest(
        &mut self,
        keywords: &Map<String, Value>,
        is_unnamed: bool,
        path: &Path,
    ) -> ProjectionResult<Option<Value>> {
        let rest = keywords.get("additionalProperties");
        let by_pattern = keywords.get("patternProperties").and_then(Value::as_object);
        let by_pattern = by_pattern.filter(|patterns| !patterns.is_empty());
        // A pending keyword, or a name under a condition, says what else may be there.
        let is_open = keywords.get("unevaluatedProperties").is_some_and(|rest| *rest != false)
            || rest != Some(&json!(false)) && mentions_others(keywords, &self.view);
        let is_map = match rest {
            Some(Value::Bool(false)) => false,
            Some(_) => true,
            None => is_unnamed || is_open || needs_other_keys(keywords),
        };
        if self.rules.objects == ObjectRules::Closed {
            let is_map = is_map || by_pattern.is_some();
            return if is_map {
                Err(Inexpressible::new(path, "a map with free keys").into())
            } else {
                Ok(Some(json!(false)))
            };
        }
        if let Some(by_pattern) = by_pattern {
            self.record_unenforced(path, "patternProperties", UNSUPPORTED);
            let only =
                by_pattern.iter().next().filter(|_| by_pattern.len() == 1 && rest == Some(&json!(false)));
            if let Some((pattern, schema)) = only {
                let path = path.clone().key("patternProperties").key(pattern);
                return self.place(schema, &path).map(Some);
            }
            if rest.is_some_and(|rest| *rest != true) {
                self.record_unenforced(path, "additionalProperties", "stands beside `patternProperties`");
            }
            return Ok(Some(json!(true)));
        }
        match rest {
            Some(schema @ Value::Object(_)) => {
                match self.place_or_never(schema, &path.clone().key("additionalProperties")) {
                    Err(ProjectionFailure::Never(_)) => Ok(Some(json!(false))),
                    rest => rest.map(Some),
                }
            }
            _ if is_map => Ok(Some(json!(true))),
            None if self.rules.objects == ObjectRules::Stated || names_nothing(keywords) => {
                Ok(Some(json!(false)))
            }
            rest => Ok(rest.cloned()),
        }
    }

    pub(super) fn elements(
        &mut self,
        out: &mut Map<String, Value>,
        keywords: &Map<String, Value>,
        path: &Path,
    ) -> ProjectionResult<()> {
        let ElementProjections { first, rest } = self.each_element(keywords, path)?;
        if rest.is_none() {
            self.close(out, keywords, first.len(), path)?;
        }
        if self.rules.has_tuples && !first.is_empty() {
            out.insert("prefixItems".to_owned(), Value::Array(first));
            out.extend(rest.filter(|rest| *rest != json!({})).map(|rest| ("items".to_owned(), rest)));
            return Ok(());
        }
        let is_tuple = !first.is_empty();
        let mut seen = HashSet::new();
        let mut items: Vec<Value> = first.into_iter().chain(rest).collect();
        items.retain(|item| seen.insert(item.clone()));
        if is_tuple && items.len() > 1 {
            self.record_unenforced(path, "prefixItems", "is written as a list of any of its elements");
        }
        let item = match items.len() {
            0 => self.absent_element(keywords, path),
            1 => items.remove(0),
            _ if items.contains(&json!({})) => json!({}),
            _ => json!({ "anyOf": items }),
        };
        if item != json!({}) {
            out.insert("items".to_owned(), item);
        }
        Ok(())
    }

    /// The projection of the elements of a list that is always empty. Where the size says so, it is
    /// any schema that every dialect knows.
    fn absent_element(&mut self, keywords: &Map<String, Value>, path: &Path) -> Value {
        let none = Value::from(0);
        let size = (self.rules.takes)(&KeywordUse { name: "maxItems", value: &none, beside: keywords });
        let is_said = matches!(size, KeywordSupport::AsIs | KeywordSupport::As(_));
        let known = self.unenforced_count();
        let written = keywords.get("items").filter(|_| !is_said);
        let item = written.and_then(|item| self.place(item, &path.clone().key("items")).ok());
        item.unwrap_or_else(|| {
            self.forget_unenforced_after(known);
            json!({ "type": "string" })
        })
    }

    fn each_element(
        &mut self,
        keywords: &Map<String, Value>,
        path: &Path,
    ) -> ProjectionResult<ElementProjections> {
        let written = keywords.get("prefixItems").and_then(Value::as_array);
        let written = written.map_or(&[][..], Vec::as_slice);
        let most = keywords.get("maxItems").and_then(Value::as_u64);
        let mut is_closed = most.is_some_and(|most| most <= written.len() as u64);
        let mut first = Vec::new();
        for (index, schema) in written.iter().enumerate() {
            match self.place_or_never(schema, &path.clone().key("prefixItems").index(index)) {
                Err(ProjectionFailure::Never(_)) => {
                    is_closed = true;
                    break;
                }
                element => first.push(element?),
            }
        }
        let rest = match keywords.get("items").filter(|rest| **rest != true) {
            _ if is_closed => None,
            Some(schema) => match self.place_or_never(schema, &path.clone().key("items")) {
                Err(ProjectionFailure::Never(_)) => None,
                rest => Some(rest?),
            },
            None => Some(self.any(path)?),
        };
        Ok(ElementProjections { first, rest })
    }

    /// Limits a list to its first `count` elements.
    fn close(
        &mut self,
        out: &mut Map<String, Value>,
        keywords: &Map<String, Value>,
        count: usize,
        path: &Path,
    ) -> ProjectionResult<()> {
        let count = count as u64;
        if keywords.get("minItems").and_then(Value::as_u64).is_some_and(|least| least > count) {
            return Err(ProjectionFailure::Never(Inexpressible::new(
                path,
                "a list that is too short and too long",
            )));
        }
        if keywords.get("maxItems").and_then(Value::as_u64).is_some_and(|most| most <= count) {
            return Ok(());
        }
        let most = Value::from(count);
        match (self.rules.takes)(&KeywordUse { name: "maxItems", value: &most, beside: keywords }) {
            KeywordSupport::AsIs => {
                out.insert("maxItems".to_owned(), most);
            }
            KeywordSupport::As(most) => {
                out.insert("maxItems".to_owned(), most);
            }
            KeywordSupport::Weakened(_, reason) | KeywordSupport::No(reason) => {
                self.record_unenforced(path, "items", reason);
            }
        }
        Ok(())
    }
}

/// The projections of the elements of a list. Without a `rest`, it has no others.
struct ElementProjections {
    first: Vec<Value>,
    rest: Option<Value>,
}

/// Returns whether an object has no properties, and says so.
fn names_nothing(keywords: &Map<String, Value>) -> bool {
    keywords.get("properties").and_then(Value::as_object).is_some_and(Map::is_empty)
        && !keywords.contains_key("required")
}

/// How many parts of the conditions of an object are searched for names. If there are more, they
/// count as naming one.
const MAX_PARTS: usize = 1_000;

/// Returns whether a condition names a property that `properties` do not describe.
fn mentions_others(keywords: &Map<String, Value>, view: &SchemaView<'_>) -> bool {
    let properties = keywords.get("properties").and_then(Value::as_object);
    let is_other = |name: &str| !properties.is_some_and(|known| known.contains_key(name));
    let left = Cell::new(MAX_PARTS);
    let in_schema = |schema: &Value| names_other(schema, &is_other, view, &left);
    ["then", "else"].into_iter().filter_map(|keyword| keywords.get(keyword)).any(in_schema)
        || named(keywords, "dependentSchemas").any(|(name, schema)| is_other(name) || in_schema(schema))
        || named(keywords, "dependentRequired").any(|(name, others)| {
            let mut others = others.as_array().into_iter().flatten().filter_map(Value::as_str);
            is_other(name) || others.any(is_other)
        })
}

/// Returns whether `schema`, or a part of it about the same object, names a property that `is_other`. Parts may
/// lead to each other in a chain of any length.
fn names_other<'v, 's: 'v>(
    schema: &'v Value,
    is_other: &dyn Fn(&str) -> bool,
    view: &SchemaView<'s>,
    left: &Cell<usize>,
) -> bool {
    let mut to_do = vec![schema];
    while let Some(schema) = to_do.pop() {
        let Value::Object(object) = schema else { continue };
        let Some(others) = left.get().checked_sub(1) else { return true };
        left.set(others);
        if keywords::required(object).any(is_other)
            || named(object, "properties").any(|(name, _)| is_other(name))
        {
            return true;
        }
        to_do.extend(composed(object));
        to_do.extend(["then", "else"].into_iter().filter_map(|keyword| object.get(keyword)));
        to_do.extend(view.targets(object));
    }
    false
}

/// Returns whether an object needs more keys than it describes, so that some of them are free.
fn needs_other_keys(keywords: &Map<String, Value>) -> bool {
    let described = keywords.get("properties").and_then(Value::as_object).map_or(0, Map::len);
    let least = keywords.get("minProperties").and_then(Value::as_f64).unwrap_or_default();
    u32::try_from(described).is_ok_and(|described| least > f64::from(described))
}
