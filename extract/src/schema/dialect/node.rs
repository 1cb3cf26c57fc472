//! Projects a schema, one subschema after another.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use serde_json::{Map, Value, json};

use super::{
    conjunction::{self, Conjunction, resolve},
    format,
    kinds::of_type,
    projection::{Inexpressible, Projection},
    rules::{Keyword, Rules, Support},
    unenforced::UnenforcedConstraint,
};
use crate::{
    path::Path,
    schema::{
        is_deprecated, nests_deeper,
        view::{
            MAX_CHAIN, View,
            keywords::{implied_types, is_annotation, types},
            merged,
            pointer::last_step,
        },
    },
};

/// Maximum subschemas of a projection. Merging can make many more than the schema has.
const MAX_PLACES: usize = 20_000;
const MAX_DEPTH: usize = 128;
/// Maximum levels of brackets; copying a value that is nested much deeper would overflow the stack.
const MAX_NESTING: usize = 512;

/// Rewrites a schema so that all of its references start at the root.
pub(super) fn one_document(schema: &Value) -> Result<Cow<'_, Value>> {
    if nests_deeper(schema, MAX_NESTING) {
        let message = format!("it nests more than {MAX_NESTING} levels deep");
        return Err(Inexpressible::new(&Path::root(), message));
    }
    merged(schema).map_err(|error| Inexpressible::new(error.path(), error.message()))
}

pub(super) struct Projector<'s> {
    view: View<'s>,
    pub(super) rules: &'static Rules,
    unenforced: Vec<UnenforcedConstraint>,
    /// The names of definitions, by address, because several references may share one target.
    names: HashMap<*const Map<String, Value>, String>,
    taken_names: HashSet<String>,
    /// How many definitions asked for each name.
    counts: HashMap<String, usize>,
    /// References, with the names of their targets.
    to_do: Vec<(String, String)>,
    places: usize,
    depth: usize,
}

pub(super) type Result<T> = std::result::Result<T, Inexpressible>;

impl<'s> Projector<'s> {
    pub(super) fn new(root: &'s Value, rules: &'static Rules) -> Self {
        Self {
            view: View::of(root),
            rules,
            unenforced: Vec::new(),
            names: HashMap::new(),
            taken_names: HashSet::new(),
            counts: HashMap::new(),
            to_do: Vec::new(),
            places: 0,
            depth: 0,
        }
    }

    pub(super) fn project(mut self) -> Result<Projection> {
        let mut schema = match self.place(self.view.root(), &Path::root())? {
            // The root must not be a reference.
            Value::Object(schema) if schema.contains_key("$ref") => self.referred_root()?,
            Value::Object(schema) => schema,
            _ => return Err(Inexpressible::new(&Path::root(), "it is no object of keywords")),
        };
        let mut definitions = Map::new();
        while let Some((reference, name)) = self.to_do.pop() {
            let target = Value::Object(resolve(&self.view, &reference, &Path::root())?.clone());
            let path = self.view.path(&reference);
            definitions.insert(name, self.place(&target, &path)?);
        }
        if !definitions.is_empty() {
            schema.insert("$defs".to_owned(), Value::Object(definitions));
        }
        (self.rules.check)(&schema)?;
        self.unenforced.sort_by(|a, b| a.path.cmp(&b.path).then_with(|| a.keyword.cmp(&b.keyword)));
        self.unenforced.dedup();
        Ok(Projection { schema: Value::Object(schema), unenforced: self.unenforced, is_enveloped: false })
    }

    fn referred_root(&mut self) -> Result<Map<String, Value>> {
        for _ in 0..MAX_CHAIN {
            // The last projection is only this reference.
            let Some((reference, _)) = self.to_do.pop() else { break };
            self.names.clear();
            self.taken_names.clear();
            self.to_do.clear();
            let target = resolve(&self.view, &reference, &Path::root())?.clone();
            match self.place(&Value::Object(target), &Path::root())? {
                Value::Object(schema) if !schema.contains_key("$ref") => return Ok(schema),
                _ => {}
            }
        }
        Err(Inexpressible::new(&Path::root(), "its references lead in a circle"))
    }

    pub(super) fn place(&mut self, schema: &Value, path: &Path) -> Result<Value> {
        self.places += 1;
        if self.places > MAX_PLACES {
            return Err(Inexpressible::new(path, format!("there are more than {MAX_PLACES} places")));
        }
        if self.depth >= MAX_DEPTH {
            return Err(Inexpressible::new(path, format!("it lies more than {MAX_DEPTH} levels deep")));
        }
        self.depth += 1;
        let projected = match schema {
            Value::Object(object) => self.object(object, path),
            Value::Bool(true) => self.any(path),
            _ => Err(Inexpressible::new(path, "nothing is accepted here")),
        };
        self.depth -= 1;
        projected
    }

    pub(super) fn any(&self, path: &Path) -> Result<Value> {
        if self.rules.has_any { Ok(json!({})) } else { Err(Inexpressible::new(path, "a value of any type")) }
    }

    fn object(&mut self, object: &Map<String, Value>, path: &Path) -> Result<Value> {
        let Conjunction { mut keywords, unions, reference } =
            conjunction::of(object, &self.view, path, &mut self.unenforced)?;
        if let Some(reference) = reference {
            return Ok(json!({ "$ref": format!("#/$defs/{}", self.name(&reference, path)?) }));
        }
        let mut union = None;
        for (keyword, branches) in unions {
            if is_about_presence(&branches) {
                self.presence(&mut keywords, keyword, &branches, path);
            } else if union.is_some() {
                self.record_unenforced(path, keyword, "stands here more than once");
            } else {
                union = Some((keyword, branches));
            }
        }
        match union {
            Some((keyword, branches)) => self.union(keywords, keyword, branches, path),
            None => self.alone(keywords, path),
        }
    }

    /// The name of the target of `reference` among the definitions of the projection.
    fn name(&mut self, reference: &str, path: &Path) -> Result<String> {
        let target = std::ptr::from_ref(resolve(&self.view, reference, path)?);
        if let Some(name) = self.names.get(&target) {
            return Ok(name.clone());
        }
        let last = last_step(reference);
        let last = if last.is_empty() { "root" } else { &last };
        let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
        let plain: String = last.chars().map(|char| if is_plain(char) { char } else { '_' }).collect();
        let mut name = plain.clone();
        while !self.taken_names.insert(name.clone()) {
            let count = self.counts.entry(plain.clone()).or_insert(1);
            *count += 1;
            name = format!("{plain}_{count}");
        }
        self.names.insert(target, name.clone());
        self.to_do.push((reference.to_owned(), name.clone()));
        Ok(name)
    }

    /// Alternatives about which keys are present, such as those of a field with aliases. Deprecated
    /// names are not offered, so what is left may be plain.
    fn presence(
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
    }

    /// What stands beside the alternatives is copied into each of them.
    fn union(
        &mut self,
        mut beside: Map<String, Value>,
        keyword: &str,
        branches: Vec<Value>,
        path: &Path,
    ) -> Result<Value> {
        let mut union = Map::new();
        for name in ["title", "description"] {
            union.extend(beside.shift_remove(name).map(|text| (name.to_owned(), text)));
        }
        beside.retain(|keyword, _| !is_annotation(keyword));
        let means_any = keyword != "oneOf" || self.view.are_exclusive(&branches);
        let (mut projected, mut seen) = (Vec::new(), HashSet::new());
        for (index, branch) in branches.into_iter().enumerate() {
            let path = path.clone().key(keyword).index(index);
            let branch = if beside.is_empty() {
                branch
            } else {
                json!({ "allOf": [branch, Value::Object(beside.clone())] })
            };
            let branch = self.place(&branch, &path)?;
            if seen.insert(branch.clone()) {
                projected.push(branch);
            }
        }
        if !means_any && projected.len() > 1 {
            self.record_unenforced(path, keyword, "is written as `anyOf`");
        }
        if projected.len() == 1 {
            return Ok(projected.remove(0));
        }
        union.insert("anyOf".to_owned(), Value::Array(projected));
        Ok(Value::Object(union))
    }

    /// Keywords without references and alternatives.
    fn alone(&mut self, mut keywords: Map<String, Value>, path: &Path) -> Result<Value> {
        if !keywords.contains_key("type") {
            match implied_types(&keywords) {
                Some(types) => {
                    keywords.insert("type".to_owned(), types);
                }
                None if keywords.keys().all(|keyword| is_annotation(keyword)) => return self.any(path),
                None if self.rules.has_any => {
                    for keyword in keywords.keys().filter(|keyword| !is_annotation(keyword)) {
                        self.record_unenforced(path, keyword, "stands without a type");
                    }
                    return Ok(json!({}));
                }
                None => return self.any(path),
            }
        }
        let kinds = keywords.get("type").map(types).unwrap_or_default();
        let is_container = |kind: &&str| matches!(*kind, "object" | "array");
        if kinds.len() > 1 && kinds.iter().any(is_container) {
            let branches = kinds.iter().map(|kind| of_type(&keywords, kind)).collect();
            let beside = keywords.iter().filter(|(keyword, _)| is_annotation(keyword));
            return self.union(
                beside.map(|(k, v)| (k.clone(), v.clone())).collect(),
                "anyOf",
                branches,
                path,
            );
        }
        let mut out = Map::new();
        for name in ["title", "description", "type"] {
            out.extend(keywords.get(name).map(|value| (name.to_owned(), value.clone())));
        }
        match kinds[..] {
            ["object"] => self.members(&mut out, &keywords, path)?,
            ["array"] => self.elements(&mut out, &keywords, path)?,
            _ => {}
        }
        self.scalars(&mut out, &keywords, path);
        Ok(Value::Object(out))
    }

    /// Every keyword that is not handled yet.
    fn scalars(&mut self, out: &mut Map<String, Value>, keywords: &Map<String, Value>, path: &Path) {
        const DONE: [&str; 7] = [
            "type",
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "items",
            "prefixItems",
        ];
        let is_left = |keyword: &str| !DONE.contains(&keyword) && !is_annotation(keyword);
        for (keyword, value) in keywords.iter().filter(|(keyword, _)| is_left(keyword)) {
            if constrains_nothing(keyword, value, out) {
                continue;
            }
            let listed = json!([value]);
            let (name, value) = match keyword.as_str() {
                "const" if !self.rules.has_const => ("enum", &listed),
                name if out.contains_key(name) => continue,
                name => (name, value),
            };
            match (self.rules.takes)(&Keyword { name, value, beside: keywords }) {
                Support::AsIs => {
                    out.insert(name.to_owned(), value.clone());
                }
                Support::As(other) => {
                    out.insert(name.to_owned(), other);
                }
                Support::Weakened(other, reason) => {
                    out.insert(name.to_owned(), other);
                    self.record_unenforced(path, keyword, reason);
                }
                Support::No(reason) => self.record_unenforced(path, keyword, reason),
            }
        }
    }

    pub(super) fn record_unenforced(&mut self, path: &Path, keyword: &str, reason: &'static str) {
        self.unenforced.push(UnenforcedConstraint {
            path: path.clone(),
            keyword: keyword.to_owned(),
            reason: reason.into(),
        });
    }
}

/// Formats that are annotations, and what other keywords express already.
fn constrains_nothing(keyword: &str, value: &Value, out: &Map<String, Value>) -> bool {
    match keyword {
        "format" => !value.as_str().is_some_and(format::is_judged_format),
        "uniqueItems" => *value == false,
        "unevaluatedProperties" => {
            *value == true || *value == false && out.get("additionalProperties") == Some(&Value::Bool(false))
        }
        _ => false,
    }
}

/// Whether a branch only says which keys are present or absent.
fn is_about_names(branch: &Value) -> bool {
    let Some(branch) = branch.as_object() else { return false };
    branch.len() == 1
        && (branch.contains_key("required")
            || branch.get("not").is_some_and(|not| {
                is_about_names(not)
                    || not
                        .get("anyOf")
                        .and_then(Value::as_array)
                        .is_some_and(|all| all.iter().all(is_about_names))
            }))
}

fn is_about_presence(branches: &[Value]) -> bool {
    !branches.is_empty() && branches.iter().all(is_about_names)
}
