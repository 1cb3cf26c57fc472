//! Unions. The keywords beside one are copied into each of its branches, so several unions that
//! apply to one value become one with all combinations.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{
    conjunction::{UNEVALUATED, is_about_names},
    node::SchemaProjector,
    projection::{Inexpressible, ProjectionFailure, ProjectionResult},
};
use crate::{
    schema::{
        is_deprecated,
        view::keywords::{is_inert, required},
    },
    vocabulary::path::{Path, all_values},
};

/// Maximum keywords and values that are copied into branches.
const MAX_COPIED: usize = 2_000_000;
/// Maximum branches of the product of several unions that apply to one value.
const MAX_COMBINATIONS: usize = 256;

impl SchemaProjector<'_> {
    /// The projection of `unions` that apply at once, and of the `keywords` beside them.
    pub(super) fn unions(
        &mut self,
        mut keywords: Map<String, Value>,
        mut unions: Vec<(&'static str, Vec<Value>)>,
        path: &Path,
    ) -> ProjectionResult<Value> {
        let combinations =
            unions.iter().fold(1_usize, |all, (_, branches)| all.saturating_mul(branches.len()));
        if unions.len() > 1 && combinations > MAX_COMBINATIONS {
            let most = MAX_COMBINATIONS;
            let reason = format!("{combinations} combinations of alternatives, of which there may be {most}");
            return Err(Inexpressible::new(path, reason).into());
        }
        let (keyword, branches) = unions.remove(0);
        let mut union = Map::new();
        for name in ["title", "description"] {
            let text = keywords.shift_remove(name).filter(Value::is_string);
            union.extend(text.map(|text| (name.to_owned(), text)));
        }
        let count = branches.len();
        let means_any = keyword != "oneOf" || count < 2 || self.view.are_exclusive(&branches);
        let beside = RepeatedKeywords::of(keywords, unions);
        self.copied += count.saturating_mul(beside.size);
        if self.copied > MAX_COPIED {
            let reason = "its alternatives repeat too much of what stands beside them";
            return Err(Inexpressible::new(path, reason).into());
        }
        let (mut projected, mut seen, mut never) = (Vec::new(), HashSet::new(), None);
        for (index, branch) in branches.into_iter().enumerate() {
            let path = path.clone().key(keyword).index(index);
            match self.place_or_never(&beside.with(branch), &path) {
                Ok(branch) => push_branch(branch, &mut projected, &mut seen),
                Err(ProjectionFailure::Never(reason)) => never = never.or(Some(reason)),
                Err(beyond) => return Err(beyond),
            }
        }
        if !means_any {
            self.record_unenforced(path, keyword, "is written as `anyOf`");
        }
        match projected.len() {
            0 => {
                let nothing = || Inexpressible::new(path, "nothing is accepted here");
                Err(ProjectionFailure::Never(never.unwrap_or_else(nothing)))
            }
            1 => Ok(projected.remove(0)),
            _ => {
                union.insert("anyOf".to_owned(), Value::Array(projected));
                Ok(Value::Object(union))
            }
        }
    }
}

/// The keywords that are copied into each branch of a union.
struct RepeatedKeywords {
    parts: Vec<Value>,
    /// The keywords for parts that nothing in a branch evaluates.
    unevaluated: Vec<(String, Value)>,
    size: usize,
}

impl RepeatedKeywords {
    /// From everything beside a union.
    fn of(mut keywords: Map<String, Value>, unions: Vec<(&'static str, Vec<Value>)>) -> Self {
        let unevaluated = UNEVALUATED.iter().filter_map(|(keyword, _)| keywords.shift_remove_entry(*keyword));
        let unevaluated = unevaluated.collect();
        keywords.retain(|keyword, _| !is_inert(keyword));
        let keywords = (!keywords.is_empty()).then_some(Value::Object(keywords));
        let unions = unions.into_iter().map(|(keyword, branches)| json!({ keyword: branches }));
        let parts: Vec<Value> = keywords.into_iter().chain(unions).collect();
        let size = parts.iter().map(|part| all_values(part).count()).sum();
        Self { parts, unevaluated, size }
    }

    fn with(&self, branch: Value) -> Value {
        if self.parts.is_empty() && self.unevaluated.is_empty() {
            return branch;
        }
        let all: Vec<Value> = std::iter::once(branch).chain(self.parts.iter().cloned()).collect();
        let mut schema = Map::new();
        schema.insert("allOf".to_owned(), Value::Array(all));
        schema.extend(self.unevaluated.iter().cloned());
        Value::Object(schema)
    }
}

/// Adds a branch, or the branches of one that is only a union itself.
fn push_branch(branch: Value, projected: &mut Vec<Value>, seen: &mut HashSet<Value>) {
    let branches = match branch {
        Value::Object(mut object) if object.len() == 1 => match object.shift_remove("anyOf") {
            Some(Value::Array(branches)) => branches,
            Some(other) => vec![other],
            None => vec![Value::Object(object)],
        },
        branch => vec![branch],
    };
    projected.extend(branches.into_iter().filter(|branch| seen.insert(branch.clone())));
}

impl SchemaProjector<'_> {
    /// Alternatives about which keys are present, such as for a field with aliases. Deprecated
    /// names are not offered, so the rest may be plain.
    pub(super) fn presence(
        &mut self,
        keywords: &mut Map<String, Value>,
        keyword: &str,
        branches: &[Value],
        path: &Path,
    ) {
        let is_offered = |name: &&Value| {
            let property = name.as_str().and_then(|name| keywords.get("properties")?.get(name));
            property.is_none_or(|property| !is_deprecated(property))
        };
        let sets = branches.iter().filter_map(|branch| branch.get("required")?.as_array());
        let mut offered: Vec<_> = sets.filter(|names| names.iter().all(|name| is_offered(&name))).collect();
        let may_be_absent = branches.iter().any(|branch| branch.get("required").is_none());
        match (offered.pop(), offered.is_empty(), may_be_absent) {
            (Some(names), true, false) => {
                let names = names.clone();
                let required = keywords.entry("required").or_insert_with(|| json!([]));
                if let Value::Array(required) = required {
                    required.extend(names);
                }
            }
            (Some(_), true, true) if branches.iter().all(is_about_names) => {}
            _ => self.record_unenforced(path, keyword, "is about which properties are there"),
        }
        let is_described = |name: &str| keywords.get("properties").is_some_and(|all| all.get(name).is_some());
        if !branches.iter().filter_map(Value::as_object).flat_map(required).all(is_described) {
            // A closed object would rule the other names out.
            keywords.entry("unevaluatedProperties").or_insert(Value::Bool(true));
        }
    }
}
