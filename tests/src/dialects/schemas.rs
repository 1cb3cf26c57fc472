//! Schemas that are known at run time, of random shapes, in every dialect.

use extract::Contract;
use serde_json::{Map, Value, json};

use super::{
    judged::{Found, judged},
    sampler::Dice,
};

const SCHEMAS: u64 = 200;
const VALUES: usize = 30;

fn scalar(dice: &mut Dice) -> Value {
    let all = [
        json!({"type": "string"}),
        json!({"type": "integer", "minimum": 2, "maximum": 5}),
        json!({"type": "boolean"}),
        json!({"type": ["string", "null"]}),
        json!({"enum": ["a", "b"]}),
        json!({"type": ["string", "null"], "enum": ["a"]}),
        json!({"const": 3}),
        json!({"enum": ["x\"y", "a", null, 1]}),
        json!({"type": "number"}),
        json!({"type": "string", "pattern": r"^[A-Z]-\d{2}$"}),
        json!({"allOf": [{"enum": ["a", "b", 1]}, {"enum": ["b", "c", 1]}]}),
        json!({"enum": ["a", 1], "const": "a"}),
        json!({"type": "string", "nullable": true}),
        json!({"$ref": "#/$defs/Word"}),
        json!({"$ref": "#/$defs/Any"}),
        json!({"oneOf": [true, {}]}),
    ];
    // The last two accept anything, which two dialects cannot express.
    let end = if dice.below(4) == 0 { all.len() } else { all.len() - 2 };
    all[dice.below(end)].clone()
}

fn properties(dice: &mut Dice, depth: usize, names: &[&str]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for name in names.iter().filter(|_| dice.below(4) > 0).collect::<Vec<_>>() {
        properties.insert((*name).to_owned(), schema(dice, depth + 1));
        if dice.coin() {
            required.push(*name);
        }
    }
    let mut object = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}

fn tagged(dice: &mut Dice, depth: usize, tag: &str, names: &[&str]) -> Value {
    let branch = |value: &str, dice: &mut Dice| {
        let mut branch = properties(dice, depth + 1, names);
        branch["properties"][tag] = json!({"const": value});
        branch["required"] =
            branch["required"].as_array().into_iter().flatten().cloned().chain([json!(tag)]).collect();
        if dice.below(5) == 0 {
            branch["additionalProperties"] = json!(false);
        }
        branch
    };
    let branches: Vec<_> =
        ["x", "y", "z"].iter().take(2 + dice.below(2)).map(|value| branch(value, dice)).collect();
    json!({*dice.pick(&["oneOf", "anyOf"]).unwrap(): branches})
}

/// Adds a keyword that may close or open an object.
fn beside(dice: &mut Dice, mut object: Value) -> Value {
    let (keyword, value) = match dice.below(12) {
        0 | 1 => ("additionalProperties", json!(false)),
        2 => ("unevaluatedProperties", json!(false)),
        3 => ("additionalProperties", json!({"type": "string"})),
        4 => ("unevaluatedProperties", json!({"type": "string"})),
        5 => ("additionalProperties", json!(true)),
        6 => ("patternProperties", json!({"^a": {"type": "string"}})),
        7 => ("required", json!(["unheard"])),
        _ => return object,
    };
    object[keyword] = value;
    object
}

fn object(dice: &mut Dice, depth: usize) -> Value {
    let own = properties(dice, depth, &["a", "b", "c"]);
    let merged = match dice.below(8) {
        0 => with(own, &tagged(dice, depth, "t", &["d", "e"])),
        1 => {
            with(own, &json!({"allOf": [tagged(dice, depth, "t", &["d"]), tagged(dice, depth, "u", &["e"])]}))
        }
        2 => with(tagged(dice, depth, "t", &["d"]), &json!({"$ref": "#/$defs/Base"})),
        3 => with(own, &json!({"$ref": "#/$defs/Base"})),
        4 => {
            let (one, other) = (properties(dice, depth, &["a", "d"]), properties(dice, depth, &["e"]));
            with(own, &json!({"allOf": [beside(dice, one), other]}))
        }
        5 => with(own, &json!({"allOf": [{"anyOf": [tagged(dice, depth, "t", &["d"]), {}]}]})),
        6 => json!({"allOf": [tagged(dice, depth, "t", &["a"]), tagged(dice, depth, "t", &["b"])]}),
        _ => own,
    };
    beside(dice, merged)
}

fn list(dice: &mut Dice, depth: usize) -> Value {
    let (one, other) = (schema(dice, depth + 1), schema(dice, depth + 1));
    match dice.below(7) {
        0 => json!({"type": "array", "items": one, "minItems": 1}),
        1 => json!({"type": "array", "prefixItems": [one, other], "items": false, "minItems": 2}),
        2 => json!({"type": "array", "prefixItems": [one], "items": other}),
        3 => json!({"type": "array", "items": one, "allOf": [{"prefixItems": [other]}]}),
        4 => json!({"type": "array", "prefixItems": [one, other], "unevaluatedItems": false}),
        5 => json!({"allOf": [{"type": "array", "items": one}, {"type": "array", "items": other}]}),
        _ => json!({"type": "array", "items": one, "maxItems": 3}),
    }
}

fn schema(dice: &mut Dice, depth: usize) -> Value {
    if depth > 2 {
        return scalar(dice);
    }
    match dice.below(10) {
        0 | 1 => object(dice, depth),
        2 => list(dice, depth),
        3 => json!({"oneOf": [scalar(dice), object(dice, depth), {"type": "null"}]}),
        4 => {
            json!({"type": ["object", "string", "null"], "properties": {"a": scalar(dice)}, "required": ["a"]})
        }
        5 => {
            json!({"allOf": [{"type": ["string", "object"]}, {"anyOf": [scalar(dice), object(dice, depth)]}]})
        }
        _ => scalar(dice),
    }
}

fn with(mut object: Value, more: &Value) -> Value {
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    object
}

#[test]
fn a_projection_and_its_schema_accept_the_same_values() {
    let mut found = [Found::default(); 4];
    let mut wrong = Vec::new();
    let mut refused = 0;
    for seed in 1..=SCHEMAS {
        let mut dice = Dice::new(seed);
        let root = if dice.below(4) == 0 { schema(&mut dice, 0) } else { object(&mut dice, 0) };
        let definitions = json!({"$defs": {
            "Base": {"type": "object", "properties": {"base": {"type": "string"}, "a": {"type": ["string", "integer"]}}, "required": ["base"]},
            "Word": {"type": "string", "minLength": 1},
            "Any": true,
        }});
        match Contract::from_schema(with(root, &definitions)) {
            Ok(contract) => wrong.extend(judged(&format!("seed {seed}"), &contract, VALUES, &mut found)),
            // Some schemas ask for the impossible.
            Err(error) => {
                let message = error.message();
                let is_contradiction = message.contains("satisfies") || message.contains("is required, and");
                assert!(is_contradiction, "seed {seed}: {error}");
                refused += 1;
            }
        }
    }
    assert!(refused < SCHEMAS / 5, "{refused} are refused");
    assert!(wrong.is_empty(), "{} counterexamples:\n{}", wrong.len(), wrong.join("\n"));
    for one in found {
        assert!(one.expressed >= 60 && one.conforming > 1_500 && one.projected > 1_500, "{found:?}");
    }
}
