//! Every constraint of a contract, with values that satisfy it and values that break only it. The
//! tests of the decoders say how each decoder handles them. The tests of `extractable-local`
//! include this file, so it does not use the crate around it.

mod combinations;
mod lists;
mod numbers;
mod objects;
mod strings;

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
    /// A constraint on the property `value` of an object, because some decoders accept only
    /// objects.
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
    let Value::Array(values) = values else { panic!("the values are a list") };
    values.into_iter().map(|value| json!({ "value": value })).collect()
}

/// How far a decoder enforces a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Enforcement {
    /// It can write none of the values that break it.
    Yes,
    /// It can write some of them.
    InPart,
    /// It can write all of them.
    No,
    /// It does not get the schema.
    Prompt,
}

impl Enforcement {
    /// For a decoder that can write `through` of `all` values that break the constraint.
    pub(crate) fn of(through: usize, all: usize) -> Self {
        match through {
            0 => Self::Yes,
            _ if through == all => Self::No,
            _ => Self::InPart,
        }
    }
}

impl fmt::Display for Enforcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "yes",
            Self::InPart => "in part",
            Self::No => "no",
            Self::Prompt => "prompt",
        })
    }
}

/// Compares the results with the table of the documentation: a line for each constraint, and a
/// column for each decoder. `UPDATE_SNAPSHOTS=1` writes the table.
pub(crate) fn assert_documented(
    file: &str,
    decoders: &[&str],
    enforcement: impl Fn(&Case) -> Vec<Enforcement>,
) {
    let mut table =
        format!("| constraint | {} |\n|---|{}\n", decoders.join(" | "), "---|".repeat(decoders.len()));
    for case in all() {
        let enforcement: Vec<_> = enforcement(&case).iter().map(ToString::to_string).collect();
        writeln!(table, "| {} | {} |", case.name, enforcement.join(" | ")).unwrap();
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

/// All cases.
pub(crate) fn all() -> Vec<Case> {
    [
        strings::cases(),
        strings::formats(),
        numbers::cases(),
        lists::cases(),
        objects::cases(),
        combinations::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
