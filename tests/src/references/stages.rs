//! The results of each stage for a contract, without the names of its definitions.

use std::{collections::HashMap, fmt::Debug};

use extract::{
    Contract,
    schema::dialect::Dialect,
    settings::{PromptOptions, SchemaNotation},
    testing::{ScriptedAgent, block_on},
    toolkit::Toolkit,
};
use serde_json::{Value, json};

use super::spelling::Spelling;

#[derive(Debug)]
pub(super) struct Stages {
    readings: Vec<String>,
    violations: Vec<String>,
    types: String,
    /// The instructions without the JSON Schema.
    around: String,
    feedback: String,
    example: Option<Value>,
    /// Whether the schema of a tool accepts each value.
    tools: Vec<bool>,
    projections: Vec<Result<(Value, Vec<String>), String>>,
}

impl Stages {
    pub(super) fn of(contract: &Contract, replies: &[&str], values: &[Value]) -> Self {
        let readings = replies.iter().map(|reply| format!("{:#?}", contract.read(reply)));
        let violations = values.iter().map(|value| format!("{value}: {:#?}", contract.validate(value)));
        Self {
            readings: readings.collect(),
            violations: violations.collect(),
            types: expanded(&question(contract, SchemaNotation::Types)),
            around: question(contract, SchemaNotation::JsonSchema)
                .lines()
                .filter(|line| !line.starts_with('{'))
                .collect(),
            feedback: feedback(contract, replies[3]),
            example: contract.example().cloned(),
            tools: tools(contract, values),
            projections: Dialect::ALL.map(|dialect| projection(dialect, contract.schema())).into(),
        }
    }

    /// Returns whether there is something to compare.
    pub(super) fn says_something(&self) -> bool {
        self.readings[0].contains("kind: Type")
            && self.example.is_some()
            && self.projections.iter().any(Result::is_ok)
    }

    pub(super) fn assert_same(&self, other: &Self, spelling: Spelling) {
        fn same<T: PartialEq + Debug>(stage: &str, one: &T, other: &T, spelling: Spelling) {
            assert_eq!(one, other, "{stage}, {spelling:?}");
        }
        for (one, other) in self.readings.iter().zip(&other.readings) {
            same("reading", one, other, spelling);
        }
        for (one, other) in self.violations.iter().zip(&other.violations) {
            same("validation", one, other, spelling);
        }
        same("types", &self.types, &other.types, spelling);
        same("instructions", &self.around, &other.around, spelling);
        same("feedback", &self.feedback, &other.feedback, spelling);
        same("example", &self.example, &other.example, spelling);
        same("tools", &self.tools, &other.tools, spelling);
        for (one, other) in self.projections.iter().zip(&other.projections) {
            same("dialect", one, other, spelling);
        }
    }
}

/// The instructions with the example.
fn question(contract: &Contract, notation: SchemaNotation) -> String {
    let agent = ScriptedAgent::new(["none"]);
    let options = PromptOptions::new().schema_notation(notation).show_example(true);
    let asked = contract.extract(&agent, "Go").prompt_options(options).max_attempts(1);
    block_on(asked).expect_err("it is no answer");
    agent.requests()[0].conversation.turns()[0].text().to_owned()
}

/// The feedback for `reply`.
fn feedback(contract: &Contract, reply: &str) -> String {
    let agent = ScriptedAgent::new([reply, reply]);
    let asked = contract.extract(&agent, "Go").max_attempts(2);
    block_on(asked).expect_err("it is no answer");
    let requests = agent.requests();
    let text = requests[1].conversation.turns().last().map(|turn| turn.text().to_owned()).unwrap_or_default();
    // Without the name of the shown part.
    ["$anchor", "$dynamicAnchor"].iter().fold(text, |text, keyword| {
        let parts: Vec<_> = text.split(&format!(r#","{keyword}":""#)).collect();
        let unnamed = parts.iter().enumerate().map(|(index, part)| match index {
            0 => part,
            _ => part.split_once('"').map_or("", |(_, rest)| rest),
        });
        unnamed.collect()
    })
}

fn tools(contract: &Contract, values: &[Value]) -> Vec<bool> {
    let tools = Toolkit::untyped(contract.clone()).tools();
    let submit = tools.iter().find(|tool| tool.input_schema["properties"].get("value").is_some());
    // An object becomes the arguments itself, unless it is a reference.
    let submit =
        submit.or_else(|| tools.iter().find(|tool| tool.input_schema["properties"].get("total").is_some()));
    let schema = &submit.expect("a tool takes a value").input_schema;
    let is_wrapped = schema["properties"].get("value").is_some();
    let validator = jsonschema::draft202012::new(schema).unwrap_or_else(|error| panic!("{error}: {schema}"));
    let arguments = |value: &Value| if is_wrapped { json!({"value": value}) } else { value.clone() };
    values.iter().map(|value| validator.is_valid(&arguments(value))).collect()
}

/// Types with each name replaced by its definition, up to a limit.
fn expanded(types: &str) -> String {
    let mut definitions: HashMap<String, String> = HashMap::new();
    let (mut name, mut text) = (None, String::new());
    for line in types.lines().chain(["type end = "]) {
        if let Some((defined, body)) = line.strip_prefix("type ").and_then(|line| line.split_once(" = ")) {
            if let Some(name) = name.replace(defined.to_owned()) {
                definitions.insert(name, text);
            }
            text = body.to_owned();
        } else {
            text.push(' ');
            text.push_str(line.trim());
        }
    }
    let root = types.split("of the type ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let mut whole = definitions[root].clone();
    for _ in 0..100 {
        whole = whole
            .split_inclusive(|char: char| !char.is_alphanumeric() && char != '_')
            .map(|word| {
                let name = word.trim_end_matches(|char: char| !char.is_alphanumeric() && char != '_');
                let meant = definitions.get(name).filter(|_| name.starts_with("X_"));
                meant.map_or_else(|| word.to_owned(), |meant| format!("{meant}{}", &word[name.len()..]))
            })
            .collect();
    }
    whole.split_whitespace().collect()
}

fn projection(dialect: Dialect, schema: &Value) -> Result<(Value, Vec<String>), String> {
    let projection = dialect.project(schema).map_err(|error| error.reason)?;
    let mut left_out: Vec<_> =
        projection.unenforced.iter().map(|one| format!("{}: {}", one.keyword, one.reason)).collect();
    left_out.sort();
    // A definition that is used twice lists it once.
    left_out.dedup();
    let mut whole = projection.schema.clone();
    whole.as_object_mut().map(|whole| whole.shift_remove("$defs"));
    replace(&mut whole, &projection.schema["$defs"], 30);
    Ok((whole, left_out))
}

/// Replaces references by their definitions, up to a limit.
fn replace(schema: &mut Value, definitions: &Value, depth: usize) {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix("#/$defs/"));
    if let Some(definition) = name.and_then(|name| definitions.get(name)).filter(|_| depth > 0) {
        *schema = definition.clone();
        return replace(schema, definitions, depth - 1);
    }
    inside(schema, definitions, depth);
    merge_null(schema);
}

fn inside(schema: &mut Value, definitions: &Value, depth: usize) {
    match schema {
        Value::Object(object) => object.values_mut().for_each(|part| replace(part, definitions, depth)),
        Value::Array(list) => list.iter_mut().for_each(|part| replace(part, definitions, depth)),
        _ => {}
    }
}

/// Unifies the two forms of a scalar or null: the null of an optional property is next to a
/// reference.
fn merge_null(schema: &mut Value) {
    let Some([scalar, null]) = schema.get("anyOf").and_then(Value::as_array).map(Vec::as_slice) else {
        return;
    };
    let mut types = match &scalar["type"] {
        Value::Array(types) => types.clone(),
        Value::String(name) if name != "object" && name != "array" => vec![Value::from(name.as_str())],
        _ => return,
    };
    if *null != json!({"type": "null"}) {
        return;
    }
    if !types.contains(&json!("null")) {
        types.push("null".into());
    }
    let mut merged = scalar.clone();
    merged["type"] = types.into();
    *schema = merged;
}
