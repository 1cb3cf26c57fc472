//! A schema in the words that llguidance has, and what it has none for.
//!
//! llguidance gives up on a whole schema for one keyword that it does not know. So what it does not know is taken out first,
//! with its place; and what it would misread is put into other words or taken out, too.

mod keys;
mod values;

use extract::{
    Path,
    schema::dialect::{UnenforcedConstraint, are_exclusive, is_judged_format},
};
use serde_json::{Map, Value, json};

/// Levels of schemas within each other; llguidance takes a piece of the stack for each.
const MAX_DEPTH: usize = 128;

/// The formats of which llguidance knows the form (its file `formats.rs`).
const FORMATS: [&str; 10] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"];

/// Keywords that constrain, and that no grammar can follow.
const BEYOND_GRAMMARS: [&str; 15] = [
    "not",
    "if",
    "then",
    "else",
    "contains",
    "minContains",
    "maxContains",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
    "$recursiveRef",
    "uniqueItems",
];

const BEYOND: &str = "is beyond a grammar";
const UNKNOWN_FORMAT: &str = "is of a kind that the grammar does not know";

/// A schema for llguidance.
pub(super) struct Worded {
    pub(super) schema: Value,
    /// What it does not say.
    pub(super) unenforced: Vec<UnenforcedConstraint>,
}

/// Puts `schema` into the words of llguidance.
///
/// # Errors
///
/// When it nests too deeply to be read at all.
pub(super) fn of(schema: &Value) -> Result<Worded, String> {
    let mut wording = Wording { root: schema, unenforced: Vec::new() };
    let schema = wording.place(schema, &Path::root(), 0)?;
    Ok(Worded { schema, unenforced: wording.unenforced })
}

struct Wording<'s> {
    root: &'s Value,
    unenforced: Vec<UnenforcedConstraint>,
}

impl Wording<'_> {
    fn place(&mut self, schema: &Value, path: &Path, depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err(format!("the schema nests more than {MAX_DEPTH} levels deep"));
        }
        let Value::Object(keywords) = schema else { return Ok(schema.clone()) };
        let mut worded = Map::new();
        for (keyword, value) in keywords {
            if let Some(value) = self.keyword(keyword, value, path, depth)? {
                worded.insert(keyword.clone(), value);
            }
        }
        values::fix(&mut worded, path, &mut self.unenforced);
        self.alternatives(&mut worded, path);
        self.keys(keywords, &mut worded, path);
        self.sizes(&mut worded, path);
        Ok(Value::Object(worded))
    }

    /// `None` for what is not to be said.
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
            ("uniqueItems", Value::Bool(false)) | ("propertyNames", _) => None,
            ("format", Value::String(format)) if FORMATS.contains(&format.as_str()) => Some(value.clone()),
            ("format", Value::String(format)) => {
                if is_judged_format(format) {
                    self.leave_out(path, keyword, UNKNOWN_FORMAT);
                }
                None
            }
            (
                "type" | "enum" | "const" | "multipleOf" | "maximum" | "exclusiveMaximum" | "minimum"
                | "exclusiveMinimum" | "maxLength" | "minLength" | "pattern" | "maxItems" | "minItems"
                | "maxProperties" | "minProperties" | "required" | "$ref" | "$id" | "$anchor",
                value,
            ) => Some(value.clone()),
            // Annotations, and words that JSON Schema does not know; some of them would make llguidance unfold a reference.
            _ => {
                if BEYOND_GRAMMARS.contains(&keyword) {
                    self.leave_out(path, keyword, BEYOND);
                }
                None
            }
        })
    }

    /// `oneOf` as `anyOf`: a grammar does not count how many of its alternatives are true.
    fn alternatives(&mut self, worded: &mut Map<String, Value>, path: &Path) {
        let Some(Value::Array(branches)) = worded.shift_remove("oneOf") else { return };
        if !are_exclusive(&branches, self.root) {
            self.leave_out(path, "oneOf", "is written as `anyOf`");
        }
        if !worded.contains_key("anyOf") {
            worded.insert("anyOf".to_owned(), Value::Array(branches));
            return;
        }
        let all = worded.entry("allOf").or_insert_with(|| json!([]));
        if let Value::Array(all) = all {
            all.push(json!({ "anyOf": branches }));
        }
    }

    fn leave_out(&mut self, path: &Path, keyword: &str, reason: &'static str) {
        self.unenforced.push(UnenforcedConstraint::new(path.clone(), keyword, reason));
    }

    /// llguidance counts properties only where it counts nothing but free ones.
    fn sizes(&mut self, worded: &mut Map<String, Value>, path: &Path) {
        if !worded.contains_key("minProperties") && !worded.contains_key("maxProperties") {
            return;
        }
        let none = Map::new();
        let properties = worded.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required: Vec<&str> = worded
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
            let bound = worded.get(name).and_then(Value::as_u64)?;
            Some(bound.saturating_sub(required.len() as u64))
        };
        let (least, most) = (free("minProperties").unwrap_or(0), free("maxProperties"));
        let is_closed = worded.get("additionalProperties").is_some_and(|rest| *rest == false)
            && !worded.contains_key("patternProperties");
        if is_closed && least <= 1 && most.unwrap_or(1) == 1 {
            return;
        }
        let is_said = [("minProperties", least > 0), ("maxProperties", most.is_some())];
        for (keyword, says_something) in is_said {
            if worded.shift_remove(keyword).is_some() && says_something {
                self.leave_out(path, keyword, "is beyond a grammar where properties are optional");
            }
        }
    }
}
