//! Objects and lists.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{
    graph::names_of,
    kinds::nullable,
    node::{Projector, Result},
    projection::Inexpressible,
    rules::{Objects, UNSUPPORTED},
};
use crate::{path::Path, schema::is_deprecated};

impl Projector<'_> {
    pub(super) fn members(
        &mut self,
        out: &mut Map<String, Value>,
        keywords: &Map<String, Value>,
        path: &Path,
    ) -> Result<()> {
        let none = Map::new();
        let properties = keywords.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required = keywords.get("required").and_then(Value::as_array);
        let known = names_of(keywords.get("required"));
        let is_required = |name: &str| known.contains(name);
        let (mut members, mut needed) = (Map::new(), Vec::new());
        for (name, schema) in properties {
            let path = path.clone().key("properties").key(name);
            if is_deprecated(schema) && !is_required(name) {
                self.record_unenforced(&path, "deprecated", "names are not offered");
                continue;
            }
            if *schema == false && !is_required(name) {
                if self.rules.objects == Objects::Open
                    && keywords.get("additionalProperties") != Some(&json!(false))
                {
                    self.record_unenforced(&path, "false", "does not apply to a name");
                }
                continue;
            }
            let member = self.place(schema, &path)?;
            let member =
                if is_required(name) || !self.rules.requires_all { member } else { nullable(member) };
            if is_required(name) || self.rules.requires_all {
                needed.push(Value::from(name.as_str()));
            }
            members.insert(name.clone(), member);
        }
        let unknown = required
            .into_iter()
            .flatten()
            .filter(|name| name.as_str().is_some_and(|name| !properties.contains_key(name)));
        for name in unknown {
            if self.rules.objects == Objects::Closed {
                return Err(Inexpressible::new(path, format!("{name} is required and not described")));
            }
            needed.push(name.clone());
        }
        let rest = self.rest(keywords, members.is_empty(), path)?;
        if !members.is_empty() || self.rules.objects == Objects::Closed {
            out.insert("properties".to_owned(), Value::Object(members));
        }
        if !needed.is_empty() || self.rules.objects == Objects::Closed {
            out.insert("required".to_owned(), Value::Array(needed));
        }
        out.extend(rest.map(|rest| ("additionalProperties".to_owned(), rest)));
        Ok(())
    }

    /// The projection of `additionalProperties`.
    fn rest(&mut self, keywords: &Map<String, Value>, is_empty: bool, path: &Path) -> Result<Option<Value>> {
        let rest = keywords.get("additionalProperties");
        let by_pattern = keywords.get("patternProperties").and_then(Value::as_object);
        let is_map = match rest {
            Some(Value::Bool(false)) => false,
            Some(_) => true,
            None => is_empty,
        };
        if self.rules.objects == Objects::Closed {
            let is_map = is_map || by_pattern.is_some();
            return if is_map {
                Err(Inexpressible::new(path, "a map with free keys"))
            } else {
                Ok(Some(json!(false)))
            };
        }
        if let Some(by_pattern) = by_pattern {
            self.record_unenforced(path, "patternProperties", UNSUPPORTED);
            let only = by_pattern.iter().next().filter(|_| by_pattern.len() == 1 && !is_map);
            return match only {
                Some((pattern, schema)) => {
                    self.place(schema, &path.clone().key("patternProperties").key(pattern)).map(Some)
                }
                None => Ok(Some(json!(true))),
            };
        }
        match rest {
            Some(schema @ Value::Object(_)) => {
                self.place(schema, &path.clone().key("additionalProperties")).map(Some)
            }
            _ if is_map => Ok(Some(json!(true))),
            None if self.rules.objects == Objects::Stated => Ok(Some(json!(false))),
            rest => Ok(rest.cloned()),
        }
    }

    pub(super) fn elements(
        &mut self,
        out: &mut Map<String, Value>,
        keywords: &Map<String, Value>,
        path: &Path,
    ) -> Result<()> {
        let first = keywords.get("prefixItems").and_then(Value::as_array);
        let first = first.map_or(&[][..], Vec::as_slice);
        let most = keywords.get("maxItems").and_then(Value::as_u64);
        let is_closed = keywords.get("items").is_some_and(|rest| *rest == false)
            || most.is_some_and(|most| most <= first.len() as u64);
        let mut projected = Vec::new();
        for (index, schema) in first.iter().enumerate() {
            projected.push(self.place(schema, &path.clone().key("prefixItems").index(index))?);
        }
        let rest = match keywords.get("items").filter(|rest| **rest != true) {
            _ if is_closed => None,
            Some(schema) => Some(self.place(schema, &path.clone().key("items"))?),
            None => Some(self.any(path)?),
        };
        if is_closed && most.is_none_or(|most| most > first.len() as u64) {
            out.insert("maxItems".to_owned(), Value::from(first.len()));
        }
        if self.rules.has_tuples && !projected.is_empty() {
            out.insert("prefixItems".to_owned(), Value::Array(projected));
            out.extend(rest.filter(|rest| *rest != json!({})).map(|rest| ("items".to_owned(), rest)));
            return Ok(());
        }
        let is_tuple = !projected.is_empty();
        let mut seen = HashSet::new();
        let mut items: Vec<Value> = projected.into_iter().chain(rest).collect();
        items.retain(|item| seen.insert(item.clone()));
        if is_tuple && items.len() > 1 {
            self.record_unenforced(path, "prefixItems", "is written as a list of any of its elements");
        }
        let item = match items.len() {
            0 => return Err(Inexpressible::new(path, "a list that is always empty")),
            1 => items.remove(0),
            _ if items.contains(&json!({})) => json!({}),
            _ => json!({ "anyOf": items }),
        };
        if item != json!({}) {
            out.insert("items".to_owned(), item);
        }
        Ok(())
    }
}
