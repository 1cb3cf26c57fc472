//! Random values of a JSON Schema.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// A pseudorandom generator (xorshift), so that every failure can be reproduced from its seed.
#[derive(Clone)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end.max(1)
    }

    pub(super) fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    pub(super) fn pick<'l, T>(&mut self, list: &'l [T]) -> Option<&'l T> {
        list.get(self.below(list.len()))
    }
}

/// Levels after which only required parts are written.
const DEEP: usize = 4;
/// Levels after which nothing is written.
const DEEPEST: usize = 12;

/// Strings that fit the formats and patterns of the tests.
const STRINGS: [&str; 8] =
    ["a", "", "INV-2041", "2026-01-31", "A-01", "word", "x\"y", "00000000-0000-0000-0000-000000000000"];

/// Returns whether the `type` of a schema allows `kind`.
fn allows(schema: &Map<String, Value>, kind: &str) -> bool {
    let is_kind = |one: &Value| one == kind || kind == "integer" && one == "number";
    match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(is_kind),
        Some(one) => is_kind(one),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// A random value that should satisfy `schema`, a part of `root`. Most do; a validator has to
/// decide. Names that the schema does not mention are not written.
pub(super) fn sample(schema: &Value, root: &Value, dice: &mut Dice) -> Option<Value> {
    Sampling { root, dice }.value(&[schema], 0)
}

struct Sampling<'s, 'd> {
    root: &'s Value,
    dice: &'d mut Dice,
}

impl<'s> Sampling<'s, '_> {
    /// A value that satisfies all of `schemas`.
    fn value(&mut self, schemas: &[&'s Value], depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        let mut facets = Vec::new();
        for schema in schemas {
            self.collect(schema, &mut facets, 0)?;
        }
        let listed = facets.iter().filter_map(|facet| {
            let constant = facet.get("const").map(std::slice::from_ref);
            constant.or_else(|| facet.get("enum")?.as_array().map(Vec::as_slice))
        });
        let listed: Vec<&[Value]> = listed.collect();
        if let Some((first, others)) = listed.split_first() {
            let is_common = |value: &&Value| {
                others.iter().all(|other| other.contains(value))
                    && facets.iter().all(|facet| allows(facet, kind_of(value)))
            };
            let common: Vec<_> = first.iter().filter(is_common).collect();
            return self.dice.pick(&common).copied().cloned();
        }
        let kind = self.kind(&facets)?;
        Some(match kind {
            "null" => Value::Null,
            "boolean" => Value::Bool(self.dice.coin()),
            "integer" => json!(self.number(&facets).round()),
            "number" => json!(self.number(&facets)),
            "string" => self.string(&facets),
            "array" => self.list(&facets, depth)?,
            _ => self.object(&facets, depth)?,
        })
    }

    /// The schemas without combinators that apply, with one branch of each union.
    fn collect(
        &mut self,
        schema: &'s Value,
        facets: &mut Vec<&'s Map<String, Value>>,
        steps: usize,
    ) -> Option<()> {
        let schema = match schema {
            Value::Object(schema) if steps < 24 => schema,
            Value::Bool(true) => return Some(()),
            _ => return None,
        };
        facets.push(schema);
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let target = self.root.pointer(reference.strip_prefix('#')?)?;
            self.collect(target, facets, steps + 1)?;
        }
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.collect(part, facets, steps + 1)?;
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(branches) = schema.get(keyword).and_then(Value::as_array) {
                let branch = self.dice.pick(branches)?;
                self.collect(branch, facets, steps + 1)?;
            }
        }
        Some(())
    }

    fn kind(&mut self, facets: &[&Map<String, Value>]) -> Option<&'static str> {
        const ALL: [&str; 7] = ["object", "array", "string", "integer", "number", "boolean", "null"];
        let says =
            |words: &[&str]| facets.iter().any(|facet| words.iter().any(|word| facet.contains_key(*word)));
        if facets.iter().all(|facet| !facet.contains_key("type")) {
            if says(&["properties", "required", "additionalProperties", "unevaluatedProperties"]) {
                return Some("object");
            }
            if says(&["items", "prefixItems", "unevaluatedItems"]) {
                return Some("array");
            }
        }
        let kinds: Vec<&str> =
            ALL.into_iter().filter(|kind| facets.iter().all(|facet| allows(facet, kind))).collect();
        self.dice.pick(&kinds).copied()
    }

    fn number(&mut self, facets: &[&Map<String, Value>]) -> f64 {
        let bound =
            |keyword: &'static str| facets.iter().filter_map(move |facet| facet.get(keyword)?.as_f64());
        let least = bound("minimum").chain(bound("exclusiveMinimum")).fold(f64::NEG_INFINITY, f64::max);
        let most = bound("maximum").chain(bound("exclusiveMaximum")).fold(f64::INFINITY, f64::min);
        let number: f64 = *self.dice.pick(&[-3.0, 0.0, 1.0, 2.0, 5.0, 9.0, 0.5]).unwrap();
        number.clamp(least, most.max(least))
    }

    fn string(&mut self, facets: &[&Map<String, Value>]) -> Value {
        const KEYWORDS: [&str; 4] = ["pattern", "format", "minLength", "maxLength"];
        let is_about_strings =
            |facet: &&&Map<String, Value>| KEYWORDS.iter().any(|word| facet.contains_key(*word));
        let narrow: Vec<_> = facets
            .iter()
            .filter(is_about_strings)
            .map(|facet| {
                let words =
                    KEYWORDS.iter().filter_map(|word| Some(((*word).to_owned(), facet.get(*word)?.clone())));
                super::judged::validator(&Value::Object(words.collect()))
            })
            .collect();
        let fits = |word: &&str| narrow.iter().all(|facet| facet.is_valid(&json!(word)));
        let fitting: Vec<&str> = STRINGS.into_iter().filter(fits).collect();
        json!(self.dice.pick(&fitting).copied().unwrap_or("none"))
    }

    fn list(&mut self, facets: &[&'s Map<String, Value>], depth: usize) -> Option<Value> {
        let size = |facet: &&'s Map<String, Value>, keyword: &str| {
            facet.get(keyword)?.as_u64().and_then(|size| usize::try_from(size).ok())
        };
        let least = facets.iter().filter_map(|facet| size(facet, "minItems")).max().unwrap_or(0);
        let most = facets.iter().filter_map(|facet| size(facet, "maxItems")).min().unwrap_or(4);
        let first =
            facets.iter().filter_map(|facet| facet.get("prefixItems")?.as_array().map(Vec::len)).max();
        let mut count = least.max(first.unwrap_or(0)) + self.dice.below(if depth > DEEP { 1 } else { 3 });
        count = count.clamp(least, most.max(least)).min(8);
        let mut list = Vec::new();
        for index in 0..count {
            let item = |facet: &&'s Map<String, Value>| {
                let by_index = facet.get("prefixItems").and_then(|first| first.get(index));
                by_index.or_else(|| facet.get("items").or_else(|| facet.get("unevaluatedItems")))
            };
            let schemas: Vec<&Value> = facets.iter().filter_map(item).collect();
            if schemas.iter().any(|schema| **schema == json!(false)) {
                break;
            }
            list.push(self.value(&schemas, depth + 1)?);
        }
        Some(Value::Array(list))
    }

    fn object(&mut self, facets: &[&'s Map<String, Value>], depth: usize) -> Option<Value> {
        let properties = |facet: &&'s Map<String, Value>| facet.get("properties")?.as_object();
        let required: BTreeSet<&str> = facets
            .iter()
            .filter_map(|facet| facet.get("required")?.as_array())
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut names: BTreeSet<&str> =
            facets.iter().filter_map(properties).flatten().map(|(name, _)| name.as_str()).collect();
        names.extend(&required);
        let extra = |facet: &&'s Map<String, Value>| {
            facet.get("additionalProperties").or_else(|| facet.get("unevaluatedProperties"))
        };
        let is_map = facets.iter().any(|facet| extra(facet).is_some_and(|rest| *rest != json!(false)))
            && facets.iter().filter_map(extra).all(|rest| *rest != json!(false));
        if is_map && depth <= DEEP {
            names.extend(["key 1", "key 2"].into_iter().take(self.dice.below(3)));
        }
        let mut object = Map::new();
        for name in names {
            let schemas = of_name(facets, name);
            let is_alias = schemas.iter().any(|schema| schema.get("deprecated") == Some(&json!(true)));
            let is_forbidden = schemas.iter().any(|schema| **schema == json!(false));
            let is_wanted = depth <= DEEP && self.dice.below(3) > 0 && !is_alias && !is_forbidden;
            if !required.contains(name) && !is_wanted {
                continue;
            }
            if is_alias {
                return None;
            }
            match self.value(&schemas, depth + 1) {
                Some(value) => {
                    object.insert(name.to_owned(), value);
                }
                None if required.contains(name) => return None,
                None => {}
            }
        }
        Some(Value::Object(object))
    }
}

/// Returns the schemas that apply to the property `name`.
fn of_name<'s>(facets: &[&'s Map<String, Value>], name: &str) -> Vec<&'s Value> {
    let matches =
        |pattern: &String| super::judged::validator(&json!({ "pattern": pattern })).is_valid(&json!(name));
    let own = |facet: &&'s Map<String, Value>| -> Vec<&'s Value> {
        let named = facet.get("properties").and_then(|all| all.get(name));
        let patterns = facet.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
        named
            .into_iter()
            .chain(patterns.filter(|(pattern, _)| matches(pattern)).map(|(_, schema)| schema))
            .collect()
    };
    let is_evaluated = facets.iter().any(|facet| !own(facet).is_empty());
    let of_facet = |facet: &&'s Map<String, Value>| {
        let own = own(facet);
        if !own.is_empty() {
            return own;
        }
        let rest = facet.get("additionalProperties");
        rest.or_else(|| facet.get("unevaluatedProperties").filter(|_| !is_evaluated)).into_iter().collect()
    };
    facets.iter().flat_map(of_facet).collect()
}
