//! Translates a schema to the subset that llguidance supports.
//!
//! llguidance rejects a whole schema for one unknown keyword. So unknown keywords are removed first
//! and recorded with their paths. Keywords that it would misinterpret are rewritten or removed too.

mod keys;
mod values;

use extract::{
    Path,
    schema::dialect::{UnenforcedConstraint, are_exclusive, is_annotation, is_judged_format},
};
use serde_json::{Map, Value, json};

use super::weaken::OF_SCALARS;

/// Maximum depth of nested schemas; llguidance uses stack for each level.
const MAX_DEPTH: usize = 128;

/// The formats that llguidance supports (its file `formats.rs`).
const FORMATS: [&str; 10] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"];

const BEYOND: &str = "is beyond a grammar";
const UNKNOWN_FORMAT: &str = "is of a kind that the grammar does not know";

/// A schema for llguidance.
pub(super) struct Translation {
    pub(super) schema: Value,
    /// The constraints that it does not enforce.
    pub(super) unenforced: Vec<UnenforcedConstraint>,
}

/// Translates `schema`.
///
/// # Errors
///
/// If it nests too deeply to be read at all.
pub(super) fn of(schema: &Value) -> Result<Translation, String> {
    let mut translator = Translator { root: schema, unenforced: Vec::new() };
    let schema = translator.place(schema, &Path::root(), 0)?;
    Ok(Translation { schema, unenforced: translator.unenforced })
}

struct Translator<'s> {
    root: &'s Value,
    unenforced: Vec<UnenforcedConstraint>,
}

impl Translator<'_> {
    fn place(&mut self, schema: &Value, path: &Path, depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err(format!("the schema nests more than {MAX_DEPTH} levels deep"));
        }
        let Value::Object(keywords) = schema else { return Ok(schema.clone()) };
        let mut translated = Map::new();
        for (keyword, value) in keywords {
            if let Some(value) = self.keyword(keyword, value, path, depth)? {
                translated.insert(keyword.clone(), value);
            }
        }
        values::fix(&mut translated, path, &mut self.unenforced);
        self.alternatives(&mut translated, path);
        self.keys(keywords, &mut translated, path);
        self.sizes(&mut translated, path);
        Ok(Value::Object(translated))
    }

    /// `None` for a keyword that is dropped.
    fn keyword(
        &mut self,
        keyword: &str,
        value: &Value,
        path: &Path,
        depth: usize,
    ) -> Result<Option<Value>, String> {
        let at = path.clone().key(keyword);
        Ok(match (keyword, value) {
            ("properties" | "patternProperties" | "$defs" | "definitions", Value::Object(schemas)) => {
                let schemas = schemas.iter().map(|(name, schema)| {
                    Ok((name.clone(), self.place(schema, &at.clone().key(name), depth + 1)?))
                });
                Some(Value::Object(schemas.collect::<Result<_, String>>()?))
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                let schemas = schemas.iter().enumerate();
                let schemas =
                    schemas.map(|(index, schema)| self.place(schema, &at.clone().index(index), depth + 1));
                Some(Value::Array(schemas.collect::<Result<_, String>>()?))
            }
            ("items" | "additionalProperties", schema) => Some(self.place(schema, &at, depth + 1)?),
            ("format", Value::String(format)) if FORMATS.contains(&format.as_str()) => Some(value.clone()),
            ("format", Value::String(format)) => {
                if is_judged_format(format) {
                    self.record_unenforced(path, keyword, UNKNOWN_FORMAT);
                }
                None
            }
            ("format" | "propertyNames", _) | ("uniqueItems", Value::Bool(false)) => None,
            (
                "type" | "maxItems" | "minItems" | "maxProperties" | "minProperties" | "required" | "$ref"
                | "$id" | "$anchor",
                value,
            ) => Some(value.clone()),
            (keyword, value) if OF_SCALARS.contains(&keyword) => Some(value.clone()),
            // Annotations, and unknown keywords; some would make llguidance unfold a reference.
            _ => {
                if !is_annotation(keyword) {
                    self.record_unenforced(path, keyword, BEYOND);
                }
                None
            }
        })
    }

    /// Writes `oneOf` as `anyOf`: a grammar does not count how many of its alternatives match.
    fn alternatives(&mut self, translated: &mut Map<String, Value>, path: &Path) {
        let Some(Value::Array(branches)) = translated.shift_remove("oneOf") else { return };
        if !are_exclusive(&branches, self.root) {
            self.record_unenforced(path, "oneOf", "is written as `anyOf`");
        }
        if !translated.contains_key("anyOf") {
            translated.insert("anyOf".to_owned(), Value::Array(branches));
            return;
        }
        let all = translated.entry("allOf").or_insert_with(|| json!([]));
        if let Value::Array(all) = all {
            all.push(json!({ "anyOf": branches }));
        }
    }

    fn record_unenforced(&mut self, path: &Path, keyword: &str, reason: &'static str) {
        self.unenforced.push(UnenforcedConstraint::new(path.clone(), keyword, reason));
    }

    /// llguidance counts properties only if none is named.
    fn sizes(&mut self, translated: &mut Map<String, Value>, path: &Path) {
        if !translated.contains_key("minProperties") && !translated.contains_key("maxProperties") {
            return;
        }
        let none = Map::new();
        let properties = translated.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required: Vec<&str> = translated
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let has_optional =
            properties.iter().any(|(name, schema)| *schema != false && !required.contains(&name.as_str()));
        if !has_optional {
            return;
        }
        let free = |name: &str| {
            let bound = translated.get(name).and_then(Value::as_u64)?;
            Some(bound.saturating_sub(required.len() as u64))
        };
        let (least, most) = (free("minProperties").unwrap_or(0), free("maxProperties"));
        let is_closed = translated.get("additionalProperties").is_some_and(|rest| *rest == false)
            && !translated.contains_key("patternProperties");
        if is_closed && least <= 1 && most.unwrap_or(1) == 1 {
            return;
        }
        let is_said = [("minProperties", least > 0), ("maxProperties", most.is_some())];
        for (keyword, says_something) in is_said {
            if translated.shift_remove(keyword).is_some() && says_something {
                self.record_unenforced(path, keyword, "is beyond a grammar where properties are optional");
            }
        }
    }
}
