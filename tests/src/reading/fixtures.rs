//! Replies from the test suites of other projects.

use extract::{Contract, settings::Leniency};
use serde_json::{Value, json};

const JSONREPAIR: &str = include_str!("../../fixtures/replies/jsonrepair_js.jsonl");
const VERCEL: &str = include_str!("../../fixtures/replies/vercel_fix_json.jsonl");
const PARTIALJSON: &str = include_str!("../../fixtures/replies/partialjson_py.jsonl");

/// Returns a schema for `value` with its types, and nothing else.
fn schema_of(value: &Value) -> Value {
    match value {
        Value::Null => json!({"type": "null"}),
        Value::Bool(_) => json!({"type": "boolean"}),
        Value::Number(number) if number.is_f64() => json!({"type": "number"}),
        Value::Number(_) => json!({"type": "integer"}),
        Value::String(_) => json!({"type": "string"}),
        Value::Array(items) if items.is_empty() => json!({"type": "array"}),
        Value::Array(items) => {
            json!({"type": "array", "prefixItems": items.iter().map(schema_of).collect::<Vec<_>>()})
        }
        Value::Object(entries) => {
            let properties: serde_json::Map<_, _> =
                entries.iter().map(|(key, value)| (key.clone(), schema_of(value))).collect();
            json!({"type": "object", "properties": properties})
        }
    }
}

/// Rows in which this project decides otherwise, by design decision or reason.
const DISAGREEMENTS: &[(&str, &[&str])] = &[
    (
        "decision 8: what the cut end of a reply would have said is not made up; the key or word is left out",
        &[
            "jsonrepair/100",
            "jsonrepair/101",
            "jsonrepair/102",
            "jsonrepair/111",
            "jsonrepair/112",
            "jsonrepair/113",
            "jsonrepair/115",
            "jsonrepair/172",
            "jsonrepair/370",
            "vercel_fix_json/0",
            "vercel_fix_json/1",
            "vercel_fix_json/2",
            "vercel_fix_json/3",
            "vercel_fix_json/7",
            "vercel_fix_json/22",
            "vercel_fix_json/23",
            "vercel_fix_json/30",
        ],
    ),
    (
        "decision 8: a number that was cut is no number when it stands alone, and its integer part within a value",
        &[
            "jsonrepair/106",
            "jsonrepair/107",
            "jsonrepair/108",
            "jsonrepair/367",
            "jsonrepair/368",
            "jsonrepair/369",
            "jsonrepair/372",
            "vercel_fix_json/8",
            "vercel_fix_json/9",
            "vercel_fix_json/12",
            "vercel_fix_json/13",
            "vercel_fix_json/16",
            "vercel_fix_json/17",
            "vercel_fix_json/18",
        ],
    ),
    (
        "decision 6: half a number that was not cut is not completed",
        &["jsonrepair/109", "jsonrepair/327", "jsonrepair/344", "jsonrepair/371", "jsonrepair/373"],
    ),
    (
        "decision 6: where a quote is missing, a comma or plus inside the text stays text; splitting would be a guess",
        &[
            "jsonrepair/73",
            "jsonrepair/81",
            "jsonrepair/87",
            "jsonrepair/90",
            "jsonrepair/91",
            "jsonrepair/92",
            "jsonrepair/351",
            "jsonrepair/353",
            "jsonrepair/354",
            "jsonrepair/355",
        ],
    ),
    (
        "decision 6: an opening quote that is missing may belong to the text before; one reading is as good as the other",
        &["jsonrepair/139"],
    ),
    (
        "decision 6: an escape that JSON does not know is taken literally, so that nothing is dropped",
        &[
            "jsonrepair/168",
            "jsonrepair/253",
            "jsonrepair/257",
            "jsonrepair/410",
            "jsonrepair/411",
            "jsonrepair/412",
            "partialjson/test_json5/test_json5_multi_line_strings/9",
            "partialjson/test_json5/test_json5_multi_line_strings/10",
            "partialjson/test_parser/test_string_relaxed_returns_raw_content_when_incomplete/45",
        ],
    ),
    (
        "decision 6: several words without brackets or marks are no list",
        &["jsonrepair/37", "jsonrepair/333", "jsonrepair/395", "jsonrepair/396"],
    ),
    ("doubled brackets are one bracket, as templates write them", &["jsonrepair/291"]),
    (
        "the suite wants an error: here there is a value, and what was left out or made up stands in the receipt",
        &[
            "jsonrepair/239",
            "jsonrepair/404",
            "jsonrepair/405",
            "jsonrepair/406",
            "jsonrepair/407",
            "jsonrepair/408",
            "jsonrepair/409",
            "jsonrepair/413",
            "jsonrepair/414",
            "partialjson/test_parser/test_invalid_number_raises_error/28",
            "partialjson/test_parser/test_invalid_input_raises_error/48",
        ],
    ),
];

#[test]
fn every_row_of_three_suites_is_read_as_expected_or_listed_by_name() {
    let listed: Vec<&str> = DISAGREEMENTS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let mut disagreeing = Vec::new();
    let mut rows = 0;
    for line in [JSONREPAIR, VERCEL, PARTIALJSON].iter().flat_map(|file| file.lines()) {
        let row: Value = serde_json::from_str(line).unwrap();
        let expected = row.get("expected");
        let contract = Contract::from_schema(expected.map_or(json!(true), schema_of)).unwrap();
        let reading = contract.reader().leniency(Leniency::Lossy).read(row["raw"].as_str().unwrap());
        if reading.value.as_ref() != expected {
            disagreeing.push(row["id"].as_str().unwrap().to_owned());
        }
        rows += 1;
    }
    assert_eq!(rows, 415 + 59 + 54);
    let unlisted: Vec<_> = disagreeing.iter().filter(|id| !listed.contains(&id.as_str())).collect();
    assert!(unlisted.is_empty(), "not listed: {unlisted:?}");
    let agreeing: Vec<_> = listed.iter().filter(|id| !disagreeing.iter().any(|other| other == *id)).collect();
    assert!(agreeing.is_empty(), "listed, but read as expected: {agreeing:?}");
}

#[test]
fn every_cut_prefix_is_truncated_and_keeps_what_there_is() {
    // Rows that end where a value ends, and words that could be anything.
    let whole = [4, 5, 6, 10, 11, 14, 15, 26];
    for (index, line) in VERCEL.lines().enumerate() {
        let row: Value = serde_json::from_str(line).unwrap();
        let raw = row["raw"].as_str().unwrap();
        if whole.contains(&index) || !raw.contains(['{', '[', '"']) {
            continue;
        }
        let contract = Contract::from_schema(json!(true)).unwrap();
        for leniency in [Leniency::Faithful, Leniency::Lossy] {
            let reading = contract.reader().leniency(leniency).read(raw);
            assert!(reading.completeness.is_truncated(), "{raw}");
            assert!(reading.value.is_some(), "{raw}");
        }
    }
}
