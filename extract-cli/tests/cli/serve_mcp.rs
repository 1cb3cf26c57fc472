//! `extractable serve-mcp`, with a client that writes its lines itself.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::Stdio,
};

use extract::{Contract, metrics::LeafEvidence};
use extract_gold::{Calibration, JudgedLeaf};
use serde_json::{Value, json};

use crate::program::{Ended, GOOD, Place};

/// A calibration after 50 documents, in which every leaf was right.
fn calibration(fingerprint: &str) -> Calibration {
    let evidence = LeafEvidence::new("total", &json!(1064.4), "");
    let leaves: Vec<_> = (0..50).map(|document| JudgedLeaf::new(document, evidence.clone(), true)).collect();
    Calibration::fit(&leaves, fingerprint).unwrap()
}

#[test]
fn a_value_is_submitted_until_it_conforms() {
    let place = Place::new();
    let schema: Value = serde_json::from_str(&place.text("invoice.json")).unwrap();
    let fingerprint = Contract::from_schema(schema).unwrap().fingerprint();
    place.write("calibration.json", serde_json::to_string(&calibration(&fingerprint)).unwrap());
    let calibrated = ["--calibration", "calibration.json"];
    let args =
        [&["serve-mcp", "-s", "invoice.json", "--out", "values.jsonl", "--once"][..], &calibrated].concat();
    let mut child = place.command(&args).stdin(Stdio::piped()).spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    let mut from = BufReader::new(child.stdout.take().unwrap());
    let mut send = |message: Value| writeln!(to, "{message}").unwrap();
    let mut receive = || {
        let mut line = String::new();
        from.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}));
    assert!(receive()["result"]["capabilities"]["tools"].is_object());
    send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let submit = |id: u32, value: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "submit", "arguments": value}});
    send(submit(2, json!({"number": "INV-7"})));
    assert!(receive().to_string().contains("$.currency"));
    send(submit(3, serde_json::from_str(GOOD).unwrap()));
    assert_eq!(receive()["id"], 3);
    drop(to);
    Ended::of(child).code(0).says("attempt 1 of").says("rejected");
    let line: Value = serde_json::from_str(&place.text("values.jsonl")).unwrap();
    assert_eq!(
        (&line["status"], &line["attempts"], &line["value"]["total"]),
        (&json!("done"), &json!(2), &json!(1064.4))
    );
    let total = line["confidence"]["/total"].as_f64().unwrap();
    assert!(total > 0.9, "{line}");
}

#[test]
fn an_output_that_cannot_be_written_is_found_out_first() {
    let place = Place::new();
    place
        .run(&["serve-mcp", "-s", "invoice.json", "--out", "no/values.jsonl"])
        .code(5)
        .says("`no/values.jsonl`");
}
