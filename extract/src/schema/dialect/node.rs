//! Projects a schema, one subschema after another.

use std::{borrow::Cow, collections::HashMap};

use serde_json::{Map, Value, json};

use super::{
    conjunction::{self, MergedConjunction, is_about_presence, resolve},
    kinds::{narrowed, of_type},
    projection::{Inexpressible, Projection, ProjectionFailure, ProjectionResult, UnenforcedConstraint},
    rules,
    rules::{DialectRules, KeywordSupport, KeywordUse},
};
use crate::{
    schema::{
        DistinctNames, modern, nests_deeper,
        view::{
            MAX_CHAIN, SchemaView,
            keywords::{allows_all, implied_types, is_inert, types},
            merged,
            pointer::last_step,
        },
    },
    vocabulary::path::Path,
};

/// Maximum subschemas of a projection. Merging can make many more than the schema has.
const MAX_PLACES: usize = 20_000;
const MAX_DEPTH: usize = 128;
/// Maximum levels of brackets; copying a value that is nested much deeper would overflow the stack.
const MAX_NESTING: usize = 512;

/// Rewrites a schema as one of 2020-12 whose references start at the root.
pub(super) fn one_document(schema: &Value) -> Result<Cow<'_, Value>, Inexpressible> {
    if nests_deeper(schema, MAX_NESTING) {
        let message = format!("it nests more than {MAX_NESTING} levels deep");
        return Err(Inexpressible::new(&Path::root(), message));
    }
    let modern = modern(schema);
    let merged = merged(modern.as_ref().unwrap_or(schema))
        .map_err(|error| Inexpressible::new(error.path(), error.message()))?;
    Ok(merged.or(modern).map_or(Cow::Borrowed(schema), Cow::Owned))
}

pub(super) struct SchemaProjector<'s> {
    pub(super) view: SchemaView<'s>,
    pub(super) rules: &'static DialectRules,
    unenforced: Vec<UnenforcedConstraint>,
    /// The names of definitions, by address, because several references may share one target.
    names: HashMap<*const Value, String>,
    taken_names: DistinctNames,
    /// References, with the names of their targets.
    to_do: Vec<(String, String)>,
    places: usize,
    pub(super) copied: usize,
    depth: usize,
}

impl<'s> SchemaProjector<'s> {
    pub(super) fn new(root: &'s Value, rules: &'static DialectRules) -> Self {
        Self {
            view: SchemaView::of(root),
            rules,
            unenforced: Vec::new(),
            names: HashMap::new(),
            taken_names: DistinctNames::default(),
            to_do: Vec::new(),
            places: 0,
            copied: 0,
            depth: 0,
        }
    }

    pub(super) fn project(self) -> Result<Projection, Inexpressible> {
        self.projected(Self::root).map_err(ProjectionFailure::reason)
    }

    /// The projection of an object with the root under its only key.
    pub(super) fn project_under(self, key: &str) -> Result<Projection, Inexpressible> {
        self.projected(|this| {
            let answer = this.place(this.view.root(), &Path::root())?;
            let entries = [
                ("type", json!("object")),
                ("properties", json!({ key: answer })),
                ("required", json!([key])),
                ("additionalProperties", json!(false)),
            ];
            Ok(entries.map(|(keyword, value)| (keyword.to_owned(), value)).into_iter().collect())
        })
        .map_err(ProjectionFailure::reason)
    }

    fn projected(
        mut self,
        root: impl FnOnce(&mut Self) -> ProjectionResult<Map<String, Value>>,
    ) -> ProjectionResult<Projection> {
        let mut schema = root(&mut self)?;
        let mut definitions = Map::new();
        while let Some((reference, name)) = self.to_do.pop() {
            let target = resolve(&self.view, &reference, &Path::root())?.clone();
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

    fn root(&mut self) -> ProjectionResult<Map<String, Value>> {
        match self.place(self.view.root(), &Path::root())? {
            // The root must not be a reference.
            Value::Object(schema) if schema.contains_key("$ref") => self.referred_root(),
            Value::Object(schema) => Ok(schema),
            _ => Err(Inexpressible::new(&Path::root(), "it is not an object of keywords").into()),
        }
    }

    fn referred_root(&mut self) -> ProjectionResult<Map<String, Value>> {
        for _ in 0..MAX_CHAIN {
            // The last projection is only this reference.
            let Some((reference, _)) = self.to_do.pop() else { break };
            self.names.clear();
            self.taken_names = DistinctNames::default();
            self.to_do.clear();
            let target = resolve(&self.view, &reference, &Path::root())?.clone();
            match self.place(&target, &Path::root())? {
                Value::Object(schema) if !schema.contains_key("$ref") => return Ok(schema),
                _ => {}
            }
        }
        Err(Inexpressible::new(&Path::root(), "its references lead in a circle").into())
    }

    pub(super) fn place(&mut self, schema: &Value, path: &Path) -> ProjectionResult<Value> {
        self.places += 1;
        if self.places > MAX_PLACES {
            return Err(Inexpressible::new(path, format!("there are more than {MAX_PLACES} places")).into());
        }
        if self.depth >= MAX_DEPTH {
            return Err(Inexpressible::new(path, format!("it lies more than {MAX_DEPTH} levels deep")).into());
        }
        self.depth += 1;
        let projected = match schema {
            Value::Object(object) => self.object(object, path),
            Value::Bool(true) => self.any(path),
            _ => Err(ProjectionFailure::Never(Inexpressible::new(path, "nothing is accepted here"))),
        };
        self.depth -= 1;
        projected
    }

    /// The same for a part that is left out if no value satisfies it.
    pub(super) fn place_or_never(&mut self, schema: &Value, path: &Path) -> ProjectionResult<Value> {
        let known = self.unenforced_count();
        let projected = self.place(schema, path);
        if matches!(projected, Err(ProjectionFailure::Never(_))) {
            self.forget_unenforced_after(known);
        }
        projected
    }

    pub(super) fn unenforced_count(&self) -> usize {
        self.unenforced.len()
    }

    pub(super) fn forget_unenforced_after(&mut self, known: usize) {
        self.unenforced.truncate(known);
    }

    pub(super) fn any(&self, path: &Path) -> ProjectionResult<Value> {
        if self.rules.has_any {
            Ok(json!({}))
        } else {
            Err(Inexpressible::new(path, "a value of any type").into())
        }
    }

    fn object(&mut self, object: &Map<String, Value>, path: &Path) -> ProjectionResult<Value> {
        let MergedConjunction { mut keywords, unions, reference } =
            conjunction::of(object, &self.view, path, &mut self.unenforced)?;
        if let Some(reference) = reference {
            return Ok(json!({ "$ref": format!("#/$defs/{}", self.name(&reference, path)?) }));
        }
        let mut real = Vec::new();
        for (keyword, branches) in unions {
            if is_about_presence(&branches) {
                self.presence(&mut keywords, keyword, &branches, path);
            } else {
                real.push((keyword, branches));
            }
        }
        if real.is_empty() {
            return self.alone(keywords, path);
        }
        self.unions(keywords, real, path)
    }

    /// The name of the target of `reference` among the definitions of the projection.
    fn name(&mut self, reference: &str, path: &Path) -> ProjectionResult<String> {
        let target = std::ptr::from_ref(resolve(&self.view, reference, path)?);
        if let Some(name) = self.names.get(&target) {
            return Ok(name.clone());
        }
        let last = last_step(reference);
        let last = if last.is_empty() { "root" } else { &last };
        let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
        let plain: String = last.chars().map(|char| if is_plain(char) { char } else { '_' }).collect();
        let name = self.taken_names.take(&plain);
        self.names.insert(target, name.clone());
        self.to_do.push((reference.to_owned(), name.clone()));
        Ok(name)
    }

    /// Keywords without references and alternatives.
    fn alone(&mut self, mut keywords: Map<String, Value>, path: &Path) -> ProjectionResult<Value> {
        if !keywords.contains_key("type") {
            let Some(types) = implied_types(&keywords) else {
                let any = self.any(path)?;
                let says = |keyword: &str, value| !is_inert(keyword) && !allows_all(keyword, value);
                for (keyword, _) in keywords.iter().filter(|(keyword, value)| says(keyword, value)) {
                    self.record_unenforced(path, keyword, "stands without a type");
                }
                return Ok(any);
            };
            keywords.insert("type".to_owned(), types);
        }
        narrowed(&mut keywords, path)?;
        let kinds = keywords.get("type").map(types).unwrap_or_default();
        let is_container = |kind: &&str| matches!(*kind, "object" | "array");
        if kinds.len() > 1 && kinds.iter().any(is_container) {
            let branches = kinds.iter().map(|kind| of_type(&keywords, kind)).collect();
            keywords.retain(|keyword, _| is_inert(keyword));
            return self.unions(keywords, vec![("anyOf", branches)], path);
        }
        let mut out = Map::new();
        for name in ["title", "description"] {
            let text = keywords.get(name).filter(|text| text.is_string());
            out.extend(text.map(|text| (name.to_owned(), text.clone())));
        }
        out.extend(keywords.get("type").map(|kinds| ("type".to_owned(), kinds.clone())));
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
        let is_left = |keyword: &str| !DONE.contains(&keyword) && !is_inert(keyword);
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
            match (self.rules.takes)(&KeywordUse { name, value, beside: keywords }) {
                KeywordSupport::AsIs => {
                    out.insert(name.to_owned(), value.clone());
                }
                KeywordSupport::As(other) => {
                    out.insert(name.to_owned(), other);
                }
                KeywordSupport::Weakened(other, reason) => {
                    out.insert(name.to_owned(), other);
                    self.record_unenforced(path, keyword, reason);
                }
                KeywordSupport::No(_) if allows_all(keyword, value) => {}
                KeywordSupport::No(reason) => self.record_unenforced(path, keyword, reason),
            }
        }
    }

    pub(super) fn record_unenforced(&mut self, path: &Path, keyword: &str, reason: &'static str) {
        self.unenforced.push(UnenforcedConstraint::new(path.clone(), keyword, reason));
    }
}

/// Formats that are annotations, and what other keywords express already.
fn constrains_nothing(keyword: &str, value: &Value, out: &Map<String, Value>) -> bool {
    match keyword {
        "format" => !value.as_str().is_some_and(rules::is_judged_format),
        "uniqueItems" => *value == false,
        "unevaluatedProperties" => {
            *value == true || *value == false && out.get("additionalProperties") == Some(&Value::Bool(false))
        }
        _ => false,
    }
}
