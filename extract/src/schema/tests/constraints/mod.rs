//! Every constraint that a contract can hold, each with values that keep it and values that break it and nothing else.
//! What a decoder makes of them is told by the tests of the decoders. Those of `extractable-local` include this file, so it names
//! nothing of the crate around it.

mod combinations;
mod lists;
mod numbers;
mod objects;
mod texts;

use std::{env, fmt, fmt::Write as _, fs, path::Path};

use serde_json::{Value, json};

/// One constraint.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) schema: Value,
    pub(crate) fits: Vec<Value>,
    pub(crate) breaks: Vec<Value>,
}

impl Case {
    /// A constraint on the property `value` of an object, because some decoders take nothing else than an object.
    fn of(name: &'static str, mut schema: Value, fits: Value, breaks: Value) -> Self {
        let definitions = schema.as_object_mut().and_then(|schema| schema.shift_remove("$defs"));
        let mut root = json!({
            "type": "object",
            "properties": {"value": schema},
            "required": ["value"],
            "additionalProperties": false,
        });
        if let Some(definitions) = definitions {
            root["$defs"] = definitions;
        }
        Self { name, schema: root, fits: each(fits), breaks: each(breaks) }
    }
}

fn each(values: Value) -> Vec<Value> {
    let Value::Array(values) = values else { panic!("values stand in a list") };
    values.into_iter().map(|value| json!({ "value": value })).collect()
}

/// How far a decoder keeps to a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    /// It writes none of the values that break it.
    Yes,
    /// It writes some of them.
    InPart,
    /// It writes all of them.
    No,
    /// It is not told the schema at all.
    Prompt,
}

impl Held {
    /// `through` of `all` values that break the constraint can be written.
    pub(crate) fn of(through: usize, all: usize) -> Self {
        match through {
            0 => Self::Yes,
            _ if through == all => Self::No,
            _ => Self::InPart,
        }
    }
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "yes",
            Self::InPart => "in part",
            Self::No => "no",
            Self::Prompt => "prompt",
        })
    }
}

/// Compares what was found with the table of the documentation, which is the expectation: a line for each constraint, and a
/// column for each decoder. `UPDATE_SNAPSHOTS=1` writes it anew.
pub(crate) fn assert_documented(file: &str, decoders: &[&str], held: impl Fn(&Case) -> Vec<Held>) {
    let mut table =
        format!("| constraint | {} |\n|---|{}\n", decoders.join(" | "), "---|".repeat(decoders.len()));
    for case in all() {
        let held: Vec<_> = held(&case).iter().map(ToString::to_string).collect();
        writeln!(table, "| {} | {} |", case.name, held.join(" | ")).unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
    if env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&path, &table).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    for (found, expected) in table.lines().zip(expected.lines()) {
        assert_eq!(found, expected, "in {file}");
    }
    assert_eq!(table.lines().count(), expected.lines().count(), "in {file}");
}

/// All of them.
pub(crate) fn all() -> Vec<Case> {
    [
        texts::cases(),
        texts::formats(),
        numbers::cases(),
        lists::cases(),
        objects::cases(),
        combinations::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
