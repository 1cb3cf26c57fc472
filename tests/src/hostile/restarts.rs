//! Replies that break off and start again, as gateways glue them together, and replies that only break off.
//!
//! Each value is written in several notations and broken off at each character. What is read is the value
//! as it was meant, or nothing.

use extract::{Contract, reading::ReplyEnd};
use serde_json::Value;

use super::{
    is_same, read_and_valid,
    slips::{cases, cases_with_more_signs},
};

/// How values are written.
struct Notation {
    object: [&'static str; 2],
    /// The quotes around keys.
    key: [&'static str; 2],
    /// What is between a key and its value.
    sign: &'static str,
    string: [&'static str; 2],
    space: &'static str,
}

const JSON: Notation =
    Notation { object: ["{", "}"], key: ["\"", "\""], sign: ": ", string: ["\"", "\""], space: " " };

const NOTATIONS: [Notation; 5] = [
    JSON,
    Notation { space: "\n  ", ..JSON },
    Notation { key: ["“", "”"], string: ["“", "”"], ..JSON },
    Notation { object: ["Item { ", " }"], key: ["", ""], ..JSON },
    Notation { object: ["Item(", ")"], key: ["", ""], sign: "=", string: ["'", "'"], ..JSON },
];

impl Notation {
    fn written(&self, value: &Value) -> String {
        let Self { object: [open, close], key: [key_open, key_close], sign, string, space } = self;
        let list = |parts: Vec<String>| parts.join(&format!(",{space}"));
        match value {
            Value::Object(members) => {
                let member = |(key, value): (&String, &Value)| {
                    format!("{key_open}{key}{key_close}{sign}{}", self.written(value))
                };
                format!("{open}{}{close}", list(members.iter().map(member).collect()))
            }
            Value::Array(items) => {
                format!("[{}]", list(items.iter().map(|item| self.written(item)).collect()))
            }
            Value::String(text) => {
                let escaped = text
                    .replace('\\', "\\\\")
                    .replace('\n', "\\n")
                    .replace(string[1], &format!("\\{}", string[1]));
                format!("{}{escaped}{}", string[0], string[1])
            }
            scalar => scalar.to_string(),
        }
    }
}

/// Counts the replies made of `written` by `glued`, and of them those that are read.
fn check(glued: impl Fn(&str, &str) -> String) -> (usize, usize) {
    let (mut all, mut read) = (0, 0);
    for (schema, value) in cases().into_iter().chain(cases_with_more_signs()) {
        let contract = Contract::from_schema(schema).unwrap();
        for notation in &NOTATIONS {
            let written = notation.written(&value);
            for (cut, _) in written.char_indices().skip(1) {
                let reply = glued(&written[..cut], &written);
                for end in [ReplyEnd::Whole, ReplyEnd::Unknown] {
                    let found = read_and_valid(&contract, &reply, end);
                    assert!(found.as_ref().is_none_or(|found| is_same(found, &value)), "{reply}\n{found:?}");
                    all += 1;
                    read += usize::from(found.is_some());
                }
            }
        }
    }
    (all, read)
}

#[test]
fn a_reply_that_starts_again_at_once_gives_no_other_value() {
    let (all, read) = check(|start, whole| format!("{start}{whole}"));
    assert!(all > 10_000, "{read} of {all}");
}

#[test]
fn nor_does_one_that_introduces_its_value_again() {
    let (all, read) = check(|start, whole| format!("The answer:\n\n{start}The answer:\n\n{whole}"));
    assert!(all > 10_000 && read > 0, "{read} of {all}");
}

#[test]
fn nor_does_one_that_only_breaks_off() {
    let (all, read) = check(|start, _| format!("The answer:\n\n{start}"));
    assert!(all > 10_000, "{read} of {all}");
}
