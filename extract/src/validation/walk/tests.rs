//! The validator is the oracle: a walk finds failures exactly where a value is not valid.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::{schema, validation::SchemaChecker};

/// A deterministic pseudorandom generator (Knuth's MMIX).
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 6 } else { 10 }) {
            0 => json!(null),
            1 => json!(self.below(2) == 0),
            2 => json!(self.below(4)),
            3 => json!(1.5),
            4 => json!(1.0),
            5 => json!(self.pick(&["a", "b", "kind", ""])),
            6 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => Value::Object((0..self.below(4)).map(|_| (self.key(), self.value(depth - 1))).collect()),
        }
    }

    fn key(&mut self) -> String {
        self.pick(&["a", "b", "c", "kind", "x y"]).to_owned()
    }

    fn schemas(&mut self, depth: usize) -> Value {
        (0..=self.below(3)).map(|_| self.schema(depth)).collect()
    }

    /// Alternatives with a tag or an only key, some of them odd.
    fn tagged(&mut self) -> Value {
        (0..2 + self.below(3)).map(|_| self.variant()).collect()
    }

    fn variant(&mut self) -> Value {
        if self.below(5) == 0 {
            return self.schema(1);
        }
        let key = self.key();
        let content = [json!({"const": self.value(0)}), json!({"type": "integer"}), json!(true)];
        let mut schema = json!({"properties": {&key: content[self.below(3)]}});
        if self.below(3) == 0 {
            schema["properties"][self.key()] = json!({"enum": [self.value(0), "a"]});
        }
        for (keyword, value) in
            [("required", json!([key])), ("additionalProperties", json!(false)), ("type", json!("object"))]
        {
            if self.below(2) == 0 {
                schema[keyword] = value;
            }
        }
        schema
    }

    fn named(&mut self, depth: usize) -> Value {
        Value::Object((0..=self.below(3)).map(|_| (self.key(), self.schema(depth))).collect())
    }

    fn schema(&mut self, depth: usize) -> Value {
        if depth == 0 || self.below(12) == 0 {
            return match self.below(5) {
                0 => json!(true),
                1 => json!(false),
                2 => json!({"const": self.value(0)}),
                _ => json!({"type": self.pick(&["string", "integer", "null", "object", "array"])}),
            };
        }
        let mut schema = Map::new();
        for _ in 0..=self.below(3) {
            let (keyword, value) = self.keyword(depth - 1);
            schema.insert(keyword.to_owned(), value);
        }
        Value::Object(schema)
    }

    fn keyword(&mut self, depth: usize) -> (&'static str, Value) {
        match self.below(31) {
            0 => ("type", json!(self.pick(&["string", "integer", "number", "null", "object", "array"]))),
            1 => ("type", json!(["object", "array", "string"])),
            2 => ("enum", json!([self.value(1), "a", 1])),
            3 => ("const", self.value(1)),
            4 => ("minimum", json!(1)),
            5 => ("maxLength", json!(1)),
            6 => ("pattern", json!("^a")),
            7 => ("required", json!([self.key()])),
            8 => ("dependentRequired", json!({self.key(): [self.key()]})),
            9 => ("uniqueItems", json!(true)),
            10 => ("maxItems", json!(self.below(3))),
            11 => ("minProperties", json!(self.below(3))),
            12 => ("allOf", self.schemas(depth)),
            13 => ("anyOf", self.schemas(depth)),
            14 => ("anyOf", self.tagged()),
            15 => ("oneOf", self.schemas(depth)),
            16 => ("oneOf", self.tagged()),
            17 => ("not", self.schema(depth)),
            18 => ("if", self.schema(depth)),
            19 => ("then", self.schema(depth)),
            20 => ("else", self.schema(depth)),
            21 => ("dependentSchemas", self.named(depth)),
            22 => ("properties", self.named(depth)),
            23 => ("patternProperties", json!({"^[ab]$": self.schema(depth)})),
            24 => ("additionalProperties", self.schema(depth)),
            25 => ("propertyNames", self.schema(depth)),
            26 => ("items", self.schema(depth)),
            27 => ("contains", self.schema(depth)),
            28 => ("unevaluatedProperties", self.schema(depth)),
            29 => ("dependencies", json!({"a": [self.key()], "b": self.schema(depth)})),
            _ => match self.below(5) {
                0 => ("unevaluatedItems", self.schema(depth)),
                1 => ("prefixItems", self.schemas(depth)),
                2 => ("minContains", json!(self.below(3))),
                3 => ("maxContains", json!(self.below(3))),
                _ => ("$ref", json!(self.pick(&["#/$defs/One", "#/$defs/x%20y", "#two"]))),
            },
        }
    }
}

#[test]
fn agrees_with_the_validator_on_thousands_of_schemas() {
    let mut random = Random(12);
    let mut invalid = 0;
    for _ in 0..4_000 {
        let mut schema = random.schema(3);
        if let Value::Object(schema) = &mut schema {
            // No definition refers to another, so there is no circle.
            let part = json!({"One": {"type": "object", "required": ["a"]}, "x y": {"enum": ["a", 1, [1]]},
                "two": {"$anchor": "two", "properties": {"b": {"type": "integer"}}}});
            schema.insert("$defs".to_owned(), part);
        }
        let bounds = schema::bounds(&schema::Subschemas::of(&schema)).unwrap();
        let checker = SchemaChecker::compile(Arc::new(schema.clone()), bounds).unwrap();
        for _ in 0..12 {
            let value = random.value(3);
            let is_valid = checker.validator.is_valid(&value);
            let walk = checker.walk();
            assert_eq!(walk.allows(&value), is_valid, "{schema} {value}");
            let violations = checker.violations(&value);
            let said = crate::feedback::format_violations_for_display(&violations);
            assert_eq!(violations.is_empty(), is_valid, "{schema} {value} {said}");
            assert!(!said.contains("not what the schema asks for"), "{schema} {value} {said}");
            invalid += usize::from(!is_valid);
        }
    }
    assert!((10_000..40_000).contains(&invalid), "{invalid}");
}
