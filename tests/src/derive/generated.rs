//! Values generated from a schema, and values that nearly satisfy it.
//!
//! A value need not satisfy the schema: the oracle compares the validator with serde. Both answers
//! have to be frequent. The seed is fixed, so that a failure can be reproduced.

use serde_json::{Map, Value, json};

/// The depth from which only required parts are written.
const DEEP: usize = 5;

/// `count` values; every second one has a mistake somewhere.
pub(super) fn values(schema: &Value, count: usize) -> Vec<Value> {
    let mut generator = Generator { root: schema, random: Random(0x5EED), slips: false };
    let make = |index: usize| {
        generator.slips = index % 2 == 1;
        generator.value(schema, 0)
    };
    (0..count).map(make).collect()
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, and good enough to choose branches.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let end = u64::try_from(end.max(1)).unwrap();
        usize::try_from((mixed ^ (mixed >> 31)) % end).unwrap()
    }

    fn one_in(&mut self, end: usize) -> bool {
        self.below(end) == 0
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}

struct Generator<'s> {
    root: &'s Value,
    random: Random,
    slips: bool,
}

impl Generator<'_> {
    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        if self.slip() {
            return self.anything();
        }
        let Value::Object(schema) = schema else { return self.anything() };
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let target = self.root.pointer(target.trim_start_matches('#')).expect("references have a target");
            return self.value(target, depth);
        }
        if let Some(only) = schema.get("const") {
            return only.clone();
        }
        if let Some(Value::Array(values)) = schema.get("enum") {
            return self.random.pick(values).expect("a list of values is not empty").clone();
        }
        let around = self.typed(schema, depth);
        ["anyOf", "oneOf"].iter().fold(around, |value, union| match schema.get(*union) {
            Some(Value::Array(branches)) => self.with_branch(value, branches, depth),
            _ => value,
        })
    }

    /// Keywords next to a union describe objects: their keys are merged.
    fn with_branch(&mut self, around: Value, branches: &[Value], depth: usize) -> Value {
        // The first branch ends a recursion; otherwise the value would be too deep.
        let branch = if depth > DEEP { branches.first() } else { self.random.pick(branches) };
        let branch = branch.expect("a union is not empty");
        if around.is_string() && branch.get("format").is_some() {
            return around;
        }
        match (around, self.value(branch, depth + 1)) {
            (Value::Object(mut around), Value::Object(inside)) => {
                around.extend(inside);
                Value::Object(around)
            }
            (_, inside) => inside,
        }
    }

    fn typed(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let kind = match schema.get("type") {
            Some(Value::Array(kinds)) if depth > DEEP => kinds.last(),
            Some(Value::Array(kinds)) => self.random.pick(kinds),
            one => one,
        };
        match kind.and_then(Value::as_str) {
            Some("object") => self.object(schema, depth),
            Some("array") => self.array(schema, depth),
            Some("string") => match schema.get("examples").and_then(Value::as_array) {
                Some(examples) if self.random.one_in(2) => json!(self.random.pick(examples)),
                _ => self.text(),
            },
            Some("integer") => self.number(schema, false),
            Some("number") => self.number(schema, true),
            Some("boolean") => Value::Bool(self.random.one_in(2)),
            Some("null") => Value::Null,
            _ if schema.contains_key("properties") || schema.contains_key("allOf") => {
                self.object(schema, depth)
            }
            _ if schema.contains_key("anyOf") || schema.contains_key("oneOf") => json!({}),
            _ => self.anything(),
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let empty = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut object = Map::new();
        for (key, property) in properties {
            let is_needed = required.iter().any(|name| name == key) && !self.slip();
            if is_needed || (depth <= DEEP && self.random.one_in(2)) {
                object.insert(key.clone(), self.value(property, depth + 1));
            }
        }
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.complete(&mut object, part, properties, depth);
        }
        for _ in 0..self.more(depth) {
            if let Some(further) = schema.get("additionalProperties").filter(|further| further.is_object()) {
                let key = self.key(schema);
                let value = self.value(further, depth + 1);
                object.insert(key, value);
            }
        }
        if self.slip() || (!schema.contains_key("additionalProperties") && self.random.one_in(4)) {
            object.insert("nobody knows".to_owned(), self.anything());
        }
        Value::Object(object)
    }

    /// Writes one of the names of a field, or whatever else a part requires.
    fn complete(
        &mut self,
        object: &mut Map<String, Value>,
        part: &Value,
        known: &Map<String, Value>,
        depth: usize,
    ) {
        let names: Vec<&str> = part["oneOf"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|choice| choice.get("properties").is_none())
            .filter_map(|choice| choice["required"][0].as_str())
            .collect();
        if names.is_empty() {
            if let Value::Object(inside) = self.value(part, depth) {
                object.extend(inside);
            }
            return;
        }
        if !self.slip() {
            for name in &names {
                object.shift_remove(*name);
            }
        }
        let name = *self.random.pick(&names).expect("a field has a name");
        object.insert(name.to_owned(), self.value(known.get(name).unwrap_or(&Value::Bool(true)), depth + 1));
    }

    fn key(&mut self, schema: &Map<String, Value>) -> String {
        let key = match schema.get("propertyNames") {
            Some(names) => self.value(names, DEEP),
            None => self.text(),
        };
        key.as_str().map_or_else(|| key.to_string(), str::to_owned)
    }

    fn array(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let size =
            |name: &str| schema.get(name).and_then(Value::as_u64).and_then(|size| usize::try_from(size).ok());
        let first = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let fewest = size("minItems").unwrap_or(0);
        let most = size("maxItems").unwrap_or(fewest + self.more(depth));
        let mut length = fewest + self.random.below(most.saturating_sub(fewest) + 1);
        if self.slip() {
            length = length.saturating_sub(1) + 2 * self.random.below(2);
        }
        let rest = schema.get("items").unwrap_or(&Value::Bool(true));
        (0..length).map(|index| self.value(first.get(index).unwrap_or(rest), depth + 1)).collect()
    }

    fn text(&mut self) -> Value {
        let texts = [
            "x",
            "",
            "a b",
            "é",
            "𝄞",
            "0",
            "1",
            "-1",
            "255",
            "256",
            "007",
            "0.5",
            "true",
            "null",
            "::1",
            "127.0.0.1",
            "2024-02-29",
            "2023-02-29",
            "12:30:00",
            "2024-02-29T12:30:00Z",
            "P1D",
            "PT1H",
            "67e55044-10b1-426f-9247-bb680e5fe0c8",
            "https://example.com/",
            "1.2.3",
        ];
        json!(self.random.pick(&texts))
    }

    /// At and near the bounds, where mistakes are likely.
    fn number(&mut self, schema: &Map<String, Value>, may_be_a_fraction: bool) -> Value {
        let mut numbers = vec![json!(0), json!(1), json!(2), json!(100)];
        let bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
        for bound in bounds.iter().filter_map(|name| schema.get(*name)) {
            numbers.push(bound.clone());
            if let Some(bound) = bound.as_i64() {
                numbers.extend([json!(bound.saturating_sub(1)), json!(bound.saturating_add(1))]);
            }
        }
        if may_be_a_fraction {
            numbers.extend([json!(-0.5), json!(1e300), json!(i64::MIN)]);
        } else if self.slip() {
            numbers = vec![json!(-1), json!(0.5), json!(i64::MIN), json!(u64::MAX), json!(1e300)];
        }
        self.random.pick(&numbers).expect("there are some").clone()
    }

    fn more(&mut self, depth: usize) -> usize {
        if depth > DEEP { 0 } else { self.random.below(4) }
    }

    fn slip(&mut self) -> bool {
        self.slips && self.random.one_in(12)
    }

    fn anything(&mut self) -> Value {
        let any = [
            json!(null),
            json!(true),
            json!(0),
            json!(-1),
            json!(256),
            json!(0.5),
            json!("x"),
            json!(""),
            json!([]),
            json!([1]),
            json!({}),
            json!({ "x": 1 }),
        ];
        self.random.pick(&any).expect("there are some").clone()
    }
}

#[test]
fn the_same_values_are_made_again() {
    let schema = json!({ "type": "array", "items": { "type": "integer" } });
    assert_eq!(values(&schema, 20), values(&schema, 20));
}

#[test]
fn values_meet_the_schema_and_miss_it() {
    let schema = json!({
        "type": "object",
        "properties": { "a": { "type": "integer", "minimum": 1 }, "b": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] } },
        "required": ["a"],
        "additionalProperties": false,
    });
    let validator = jsonschema::validator_for(&schema).unwrap();
    let values = values(&schema, 200);
    let met = values.iter().filter(|value| validator.is_valid(value)).count();
    assert!((50..190).contains(&met), "{met} of 200");
}
