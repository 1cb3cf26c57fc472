//! Every serde attribute: the oracle, the schema for reviewers, and its line in the reference.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test -p extractable-tests serde_attributes` rewrites `../snapshots/`.

#![expect(dead_code, reason = "what is skipped or converted is not read")]

mod field;
mod type_;
mod variant;

use std::{env, fmt::Write, fs, path::Path};

use extract::Extractable;
use serde_json::Value;

use super::oracle::check;

/// A supported attribute, on a type that shows its effect.
struct Case {
    attribute: &'static str,
    schema: Value,
}

/// The oracle runs too.
fn case<T: Extractable>(attribute: &'static str, values: impl IntoIterator<Item = Value>) -> Case {
    assert!(check::<T>(values) > 0, "{attribute}: no value is accepted");
    Case { attribute, schema: T::schema() }
}

/// Compares the schemas with the snapshot, and requires a line about each attribute in the
/// reference.
fn agrees(place: &str, cases: &[Case]) {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/derive/snapshots/serde_on_a_{place}.md"));
    let now = snapshot(place, cases);
    if env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(path, &now).unwrap();
    } else {
        let before = fs::read_to_string(&path).unwrap_or_default();
        assert!(before == now, "{} is not the schema of now:\n{now}", path.display());
    }
    let cells = reference(place);
    for case in cases {
        let name = case.attribute.split([' ', '(']).next().unwrap();
        assert!(
            cells.0.contains(&format!("`{name}`")),
            "`attributes.md` does not honour `{name}` on a {place}"
        );
    }
}

fn snapshot(place: &str, cases: &[Case]) -> String {
    let mut text = format!("# serde's attributes on a {place}\n");
    for Case { attribute, schema } in cases {
        let mut schema = schema.clone();
        if let Some(schema) = schema.as_object_mut() {
            schema.shift_remove("$schema");
        }
        write!(text, "\n## `{attribute}`\n\n```json\n{schema:#}\n```\n").unwrap();
    }
    text
}

/// The attributes in the reference at a position: the supported and irrelevant ones, and the
/// rejected ones.
fn reference(place: &str) -> (String, String) {
    let text = include_str!("../../../../extract-derive/attributes.md");
    let (_, text) = text.split_once("\n# serde's attributes\n").unwrap();
    let row = text.lines().find(|line| line.starts_with(&format!("| {place} |"))).unwrap();
    let cells: Vec<&str> = row.split('|').collect();
    let of_no_bearing = text.split("\n\n").find(|paragraph| paragraph.contains("no bearing")).unwrap();
    (format!("{}{of_no_bearing}", cells[2]), cells[3].to_owned())
}

#[test]
fn the_reference_lists_what_is_rejected() {
    let refused = [
        ("type", &["remote", "field_identifier", "variant_identifier"][..]),
        ("variant", &["with", "deserialize_with"]),
        ("field", &["with", "deserialize_with", "flatten"]),
    ];
    for (place, names) in refused {
        let (_, cell) = reference(place);
        for name in names {
            assert!(
                cell.contains(&format!("`{name}`")),
                "`attributes.md` does not refuse `{name}` on a {place}"
            );
        }
    }
}

fn as_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let text: String = serde::Deserialize::deserialize(deserializer)?;
    text.strip_prefix("n")
        .and_then(|digit| digit.parse().ok())
        .ok_or_else(|| serde::de::Error::custom("no number"))
}

fn a_text(_: &mut extract::schema::SchemaGenerator) -> extract::schema::Schema {
    extract::schema::json_schema!({ "type": "string", "pattern": "^n[0-9]$", "examples": ["n1"] })
}
