//! The enforcement of each constraint by the grammar: the real matcher, on the bytes of values as a
//! model would write them.

/// The cases of the dialects, so that every decoder is tested with the same constraints.
#[expect(dead_code, reason = "a grammar always has the schema, so nothing is `Prompt`")]
#[path = "../../../extract/src/schema/tests/constraints/mod.rs"]
mod constraints;

use std::sync::Arc;

use extract::Contract;
use serde_json::{Value, json};

use self::constraints::{Case, Enforcement, assert_documented};
use super::*;
use crate::{
    gguf::{Gguf, Tokenizer},
    tests::models::{Folder, made_up_model},
};

/// Grammars over a token for each byte.
struct Bytes {
    tokenizer: Arc<Tokenizer>,
    grammars: Grammars,
}

impl Bytes {
    fn new() -> Self {
        let folder = Folder::new();
        let tokenizer = Tokenizer::new(&Gguf::open(&made_up_model(folder.path())).unwrap()).unwrap();
        let grammars = Grammars::new(&tokenizer.environment()).unwrap();
        Self { tokenizer, grammars }
    }

    fn compile(&self, schema: &Value) -> Grammar {
        self.grammars.compile(&Arc::new(schema.clone()))
    }

    /// Returns whether a model can write `text` and end there.
    fn writes(&self, grammar: &Grammar, text: &str) -> bool {
        let Some(mut matcher) = grammar.fresh().matcher else { return true };
        let tokens = self.tokenizer.encode(text);
        matcher.try_consume_tokens(&tokens).unwrap() == tokens.len() && matcher.is_accepting().unwrap()
    }

    fn reasons(&self, schema: &Value) -> Vec<String> {
        self.compile(schema).unenforced.map(|unenforced| unenforced.reasons).unwrap_or_default()
    }
}

/// As the grammar requires it: `{"a": 1, "b": [1, 2]}`, numbers without exponents.
fn written(value: &Value) -> String {
    let all = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Object(object) => {
            let member = |(key, value): (&String, &Value)| format!("{}: {}", json!(key), written(value));
            format!("{{{}}}", all(object.iter().map(member).collect()))
        }
        Value::Array(list) => format!("[{}]", all(list.iter().map(written).collect())),
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap().to_string(),
        other => other.to_string(),
    }
}

/// Constraints that are enforced only in their form, without a report.
const BY_FORM: [&str; 1] = ["`format: date` in leap years"];

fn enforcement(bytes: &Bytes, case: &Case) -> Enforcement {
    let grammar = bytes.compile(&case.schema);
    let through = case.breaks.iter().filter(|value| bytes.writes(&grammar, &written(value))).count();
    let enforcement = Enforcement::of(through, case.breaks.len());
    let is_reported = grammar.unenforced.is_some() || BY_FORM.contains(&case.name);
    assert_eq!(
        enforcement == Enforcement::Yes,
        !is_reported,
        "{}: {enforcement}, {:?}",
        case.name,
        grammar.unenforced
    );
    assert!(grammar.unenforced.is_none_or(|unenforced| unenforced.constrained), "{}", case.name);
    enforcement
}

#[test]
fn every_constraint_is_enforced_or_reported() {
    let bytes = Bytes::new();
    assert_documented("constraints.md", &["enforced"], |case| vec![enforcement(&bytes, case)]);
}

#[test]
fn no_value_that_conforms_is_refused() {
    let bytes = Bytes::new();
    for case in constraints::all() {
        let grammar = bytes.compile(&case.schema);
        for value in &case.fits {
            assert!(bytes.writes(&grammar, &written(value)), "{}: {value}", case.name);
        }
    }
}

#[test]
fn what_the_grammar_lets_through_is_judged_by_the_contract() {
    let bytes = Bytes::new();
    let mut rejected = 0;
    for case in constraints::all() {
        let grammar = bytes.compile(&case.schema);
        let contract = Contract::from_schema(case.schema.clone()).unwrap();
        for text in case.breaks.iter().map(written).filter(|text| bytes.writes(&grammar, text)) {
            let value = contract.read(&text).value.expect("it is JSON");
            assert_ne!(contract.validate(&value), [], "{}: {text}", case.name);
            rejected += 1;
        }
    }
    assert!(rejected > 30, "{rejected}");
}

/// Each conforms to its schema. A model can write the same value in another way, or does not need
/// to.
#[test]
fn these_ways_to_write_a_value_are_refused() {
    let pair = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}});
    let at_least = json!({"type": "number", "minimum": 0});
    let format = |format: &str| json!({"type": "string", "format": format});
    let bytes = Bytes::new();
    for (schema, refused, other, reason) in [
        (&pair, r#"{"a":1,"b":2}"#, r#"{"a": 1, "b": 2}"#, "white space is fixed"),
        (&pair, r#"{"b": 2, "a": 1}"#, r#"{"a": 1, "b": 2}"#, "named properties come in their order"),
        (&json!({"type": "integer"}), "1.0", "1", "integers have no fraction"),
        (&at_least, "1e2", "100", "numbers with bounds have no exponent"),
        (&at_least, "-0", "0", "numbers with bounds have no negative zero"),
        (&json!({"type": "string"}), r#""\u00e4""#, r#""ä""#, "characters that need no escape have none"),
        (&json!({"type": "string"}), r#""a\/b""#, r#""a/b""#, "characters that need no escape have none"),
        (&format("ipv6"), r#""::ffff:127.0.0.1""#, r#""::ffff:7f00:1""#, "no IPv4 in IPv6"),
        (&format("email"), r#""\"a b\"@c.org""#, r#""a@c.org""#, "no quoted names in addresses"),
    ] {
        let grammar = bytes.compile(schema);
        assert_eq!(grammar.unenforced, None, "{reason}");
        assert_eq!(
            Contract::from_schema(schema.clone()).unwrap().validate(&serde_json::from_str(refused).unwrap()),
            []
        );
        assert!(!bytes.writes(&grammar, refused), "{reason}");
        assert!(bytes.writes(&grammar, other), "{reason}");
    }
}

#[test]
fn one_unsupported_keyword_leaves_the_rest_enforced() {
    let bytes = Bytes::new();
    for culprit in [
        json!({"type": "integer", "minimum": i64::MIN, "maximum": i64::MAX}),
        json!({"type": "string", "pattern": "^(?!x)a"}),
        json!({"type": "array", "items": {"type": "integer"}, "uniqueItems": true}),
        json!({"type": "number", "multipleOf": 5_000_000_000_u64}),
        json!({"oneOf": [{"type": "integer", "minimum": 1}, {"type": "integer", "maximum": 2}]}),
    ] {
        let schema = json!({
            "type": "object",
            "properties": {"size": {"enum": ["S", "M"]}, "culprit": culprit},
            "required": ["size", "culprit"],
        });
        let grammar = bytes.compile(&schema);
        let Some(UnenforcedConstraints { constrained: true, reasons, .. }) = &grammar.unenforced else {
            panic!("{culprit}: {:?}", grammar.unenforced)
        };
        assert!(reasons.iter().all(|reason| reason.starts_with("$.properties.culprit: `")), "{reasons:?}");
        assert!(!bytes.writes(&grammar, r#"{"size": "L", "#), "{culprit}");
    }
}

#[test]
fn annotations_and_trivial_keywords_are_not_reported() {
    let bytes = Bytes::new();
    for schema in [
        json!({"type": "integer", "format": "int32", "deprecated": true, "x-order": 3, "title": "A", "default": 1}),
        json!({"type": "array", "uniqueItems": false}),
        json!({"type": "object", "propertyNames": true}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "string"}),
        json!(true),
    ] {
        assert_eq!(bytes.reasons(&schema), [""; 0], "{schema}");
    }
}

#[test]
fn the_keys_of_a_map_stand_behind_references() {
    let mut definitions: serde_json::Map<_, _> =
        (0..20).map(|n| (format!("K{n}"), json!({"$ref": format!("#/$defs/K{}", n + 1)}))).collect();
    definitions.insert("K20".to_owned(), json!({"$ref": "#key"}));
    definitions.insert("Key".to_owned(), json!({"$anchor": "key", "enum": ["low", "high"]}));
    let schema = json!({"type": "object", "propertyNames": {"$ref": "#/$defs/K0"}, "$defs": definitions});
    let bytes = Bytes::new();
    let grammar = bytes.compile(&schema);
    assert_eq!(grammar.unenforced, None);
    assert!(bytes.writes(&grammar, r#"{"low": 1}"#) && !bytes.writes(&grammar, r#"{"mid": 1}"#));
}

#[test]
fn hostile_schemas_end() {
    let bytes = Bytes::new();
    let deep = |levels| {
        (0..levels).fold(json!({"type": "string"}), |inner, _| json!({"type": "array", "items": inner}))
    };
    assert_eq!(bytes.reasons(&deep(100)), [""; 0]);
    assert_eq!(bytes.reasons(&deep(500)), ["the schema nests more than 128 levels deep"]);
    let circle =
        json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}});
    assert!(!bytes.writes(&bytes.compile(&circle), "1"));
    let keys = json!({"type": "object", "propertyNames": {"$ref": "#/$defs/A"}, "$defs": {"A": {"$ref": "#/$defs/A"}}});
    let never = json!({"type": "integer", "minimum": 3, "maximum": 2});
    let names = (0..300).map(|n| (format!("p{n}"), json!({"type": "string", "pattern": "(?=a)"})));
    let many = json!({"type": "object", "properties": names.collect::<serde_json::Map<_, _>>()});
    for schema in [keys, never, many] {
        assert_ne!(bytes.reasons(&schema), [""; 0], "{schema}");
    }
}

#[test]
fn the_bounds_of_many_integers_do_not_hide_the_rest() {
    let mut properties: serde_json::Map<_, _> = (0..10)
        .map(|n| (format!("p{n}"), json!({"type": "integer", "minimum": i64::MIN, "maximum": i64::MAX})))
        .collect();
    properties.insert("q".to_owned(), json!({"type": "array", "uniqueItems": true}));
    let unenforced =
        Bytes::new().compile(&json!({"type": "object", "properties": properties})).unenforced.unwrap();
    let places = "$.properties.p0, $.properties.p1, $.properties.p2, and 7 more places";
    assert_eq!(
        unenforced.to_string(),
        format!(
            "the grammar does not enforce: \
             {places}: `minimum` is a number beyond 2^53, which the grammar would round; \
             {places}: `maximum` is a number beyond 2^53, which the grammar would round; \
             $.properties.q: `uniqueItems` is beyond a grammar"
        )
    );
    assert_eq!(unenforced.reasons.len(), 3);
}
