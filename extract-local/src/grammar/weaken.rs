//! Weakens a schema that llguidance rejects: the rejected keywords are removed, and the rest is
//! enforced.

use extract::{Path, schema::dialect::UnenforcedConstraint};
use serde_json::{Map, Value, json};

const TOO_MUCH: &str = "is more than the grammar can follow";

/// The keywords of scalars that llguidance supports, in the order in which they are tried alone: the
/// costly ones first.
pub(super) const OF_SCALARS: [&str; 11] = [
    "pattern",
    "format",
    "multipleOf",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "enum",
    "const",
];

/// Maximum trials; one takes a fraction of a millisecond.
const MOST_TRIALS: usize = 2000;

/// Tells whether llguidance accepts a schema.
pub(super) type Accepts<'t> = &'t dyn Fn(&Value) -> bool;

/// Removes from `schema` keywords that `takes` rejects on their own, and keywords next to
/// references.
pub(super) fn weaken(schema: &mut Value, takes: Accepts<'_>, unenforced: &mut Vec<UnenforcedConstraint>) {
    Weakening { takes, unenforced, trials: 0 }.place(schema, &Path::root());
}

struct Weakening<'w> {
    takes: Accepts<'w>,
    unenforced: &'w mut Vec<UnenforcedConstraint>,
    trials: usize,
}

impl Weakening<'_> {
    fn place(&mut self, schema: &mut Value, path: &Path) {
        let Value::Object(keywords) = schema else { return };
        if keywords.contains_key("$ref") {
            self.keep(keywords, &["$ref", "$defs", "definitions", "$id", "$anchor"], path);
        }
        self.leaves(keywords, path);
        self.keys(keywords, path);
        for (keyword, value) in keywords {
            let at = path.clone().key(keyword);
            match (keyword.as_str(), value) {
                ("properties" | "patternProperties" | "$defs" | "definitions", Value::Object(schemas)) => {
                    schemas.iter_mut().for_each(|(name, schema)| self.place(schema, &at.clone().key(name)));
                }
                ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                    let schemas = schemas.iter_mut().enumerate();
                    schemas.for_each(|(index, schema)| self.place(schema, &at.clone().index(index)));
                }
                ("items" | "additionalProperties", schema) => self.place(schema, &at),
                _ => {}
            }
        }
    }

    /// A reference in a cycle is accepted only without other keywords.
    fn keep(&mut self, keywords: &mut Map<String, Value>, kept: &[&str], path: &Path) {
        let others: Vec<_> =
            keywords.keys().filter(|keyword| !kept.contains(&keyword.as_str())).cloned().collect();
        for keyword in others {
            keywords.shift_remove(&keyword);
            self.record_unenforced(path, &keyword, "may not stand beside a reference");
        }
    }

    /// Beyond the limit everything counts as accepted.
    fn takes(&mut self, schema: &Value) -> bool {
        self.trials += 1;
        self.trials > MOST_TRIALS || (self.takes)(schema)
    }

    fn leaves(&mut self, keywords: &mut Map<String, Value>, path: &Path) {
        let leaf = |keywords: &Map<String, Value>| {
            let of_leaf = |keyword: &str| keyword == "type" || OF_SCALARS.contains(&keyword);
            let said = keywords.iter().filter(|(keyword, _)| of_leaf(keyword));
            Value::Object(said.map(|(keyword, value)| (keyword.clone(), value.clone())).collect())
        };
        for keyword in OF_SCALARS {
            if self.takes(&leaf(keywords)) {
                return;
            }
            if keywords.shift_remove(keyword).is_some() {
                self.record_unenforced(path, keyword, TOO_MUCH);
            }
        }
    }

    /// Patterns of keys must not overlap.
    fn keys(&mut self, keywords: &mut Map<String, Value>, path: &Path) {
        let Some(Value::Object(patterns)) = keywords.get("patternProperties") else { return };
        let patterns: Map<_, _> = patterns.keys().map(|pattern| (pattern.clone(), json!(true))).collect();
        if self.takes(&json!({"type": "object", "patternProperties": patterns})) {
            return;
        }
        keywords.shift_remove("patternProperties");
        keywords.insert("additionalProperties".to_owned(), json!(true));
        self.record_unenforced(path, "patternProperties", TOO_MUCH);
    }

    fn record_unenforced(&mut self, path: &Path, keyword: &str, reason: &'static str) {
        self.unenforced.push(UnenforcedConstraint::new(path.clone(), keyword, reason));
    }
}
