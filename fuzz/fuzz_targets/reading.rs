//! Reads any reply with one of several schemas and checks what must hold whatever the reply is.
//!
//! ```text
//! mkdir -p fuzz/corpus/reading
//! cargo run --manifest-path fuzz/Cargo.toml -- --seeds fuzz/corpus/reading    # the fixtures, with every schema
//! cargo +nightly fuzz run reading --features libfuzzer -s none
//! cargo run --manifest-path fuzz/Cargo.toml -- FILE…      # the same function over files, on stable
//! ```
#![cfg_attr(feature = "libfuzzer", no_main)]

use std::sync::LazyLock;

use extract::{Contract, Leniency};
use serde_json::{Value, json};

static CONTRACTS: LazyLock<Vec<Contract>> = LazyLock::new(|| {
    let node = json!({
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "kind": {"enum": ["goods", "service"]},
            "price": {"type": ["number", "null"]},
            "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
            "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        },
        "required": ["id"],
    });
    [
        json!(true),
        json!({"type": "string"}),
        json!({"type": "array", "items": {"type": "integer"}}),
        json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
        json!({"$ref": "#/$defs/node", "$defs": {"node": node}}),
        json!({"oneOf": [{"properties": {"type": {"const": "a"}}, "required": ["type"]}, {"type": "array"}]}),
    ]
    .into_iter()
    .map(|schema| Contract::from_schema(schema).expect("the schema compiles"))
    .collect()
});

/// Panics when something does not hold. The first byte chooses the contract.
fn check(data: &[u8]) {
    let Some((first, reply)) = data.split_first() else { return };
    let Ok(reply) = std::str::from_utf8(reply) else { return };
    let contract = &CONTRACTS[usize::from(*first) % CONTRACTS.len()];
    let reading = contract.read(reply);
    assert!(reading.value.is_some() || !reading.violations.is_empty());
    for change in &reading.changes {
        assert!(reply.get(change.span.clone()).is_some(), "{change:?}");
    }
    if let Some(value) = reading.value.filter(|value| contract.validate(value).is_empty()) {
        let again = contract.reader().leniency(Leniency::Faithful).read(&value.to_string());
        assert_eq!(again.value.as_ref().map(Value::to_string), Some(value.to_string()));
    }
}

#[cfg(feature = "libfuzzer")]
libfuzzer_sys::fuzz_target!(|data: &[u8]| check(data));

#[cfg(not(feature = "libfuzzer"))]
fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [option, folder] if option == "--seeds" => write_seeds(folder),
        files => {
            for file in files {
                check(&std::fs::read(file).expect("the file can be read"));
            }
        }
    }
}

/// Writes the replies of other projects' test suites to `folder`, once for each contract.
#[cfg(not(feature = "libfuzzer"))]
fn write_seeds(folder: &str) {
    const SUITES: [&str; 3] = [
        include_str!("../../tests/fixtures/replies/jsonrepair_js.jsonl"),
        include_str!("../../tests/fixtures/replies/vercel_fix_json.jsonl"),
        include_str!("../../tests/fixtures/replies/partialjson_py.jsonl"),
    ];
    for (row, line) in SUITES.iter().flat_map(|suite| suite.lines()).enumerate() {
        let fields: Value = serde_json::from_str(line).expect("a row is JSON");
        let reply = fields["raw"].as_str().expect("a row has a text");
        for contract in 0..CONTRACTS.len() {
            let first = u8::try_from(contract).expect("a few contracts");
            let seed = [&[first], reply.as_bytes()].concat();
            std::fs::write(format!("{folder}/{row}_{contract}"), seed).expect("the folder can be written to");
        }
    }
}
