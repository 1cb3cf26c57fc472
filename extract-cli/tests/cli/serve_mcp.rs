//! `extractable serve-mcp`, with a client that writes its lines itself.

use std::{
    io::{BufRead, BufReader, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
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

fn introduce(send: &mut impl FnMut(Value)) {
    send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}));
    send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
}

fn received(from: &mut impl BufRead) -> Value {
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap()
}

fn submit(id: u32, value: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "submit", "arguments": value}})
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
    let mut receive = || received(&mut from);
    introduce(&mut send);
    assert!(receive()["result"]["capabilities"]["tools"].is_object());
    send(submit(2, &json!({"number": "INV-7"})));
    assert!(receive().to_string().contains("$.currency"));
    send(submit(3, &serde_json::from_str(GOOD).unwrap()));
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

#[test]
fn a_value_that_cannot_be_written_is_not_called_accepted() {
    let place = Place::new();
    // A crash left half a line.
    let torn = r#"{"status":"done","value":{"number""#;
    place.write("values.jsonl", torn);
    place.write(
        "text.json",
        r#"{"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}"#,
    );
    let mut child = limited(&place, &[]);
    let mut to = child.stdin.take().unwrap();
    let mut from = BufReader::new(child.stdout.take().unwrap());
    introduce(&mut |message| writeln!(to, "{message}").unwrap());
    received(&mut from);
    writeln!(to, "{}", submit(2, &json!({"text": "short"}))).unwrap();
    assert_eq!(received(&mut from)["result"]["structuredContent"]["status"], "accepted");
    let text = place.text("values.jsonl");
    assert_eq!(text.lines().collect::<Vec<_>>()[0], torn, "the half stays by itself");
    assert_eq!(
        serde_json::from_str::<Value>(text.lines().nth(1).unwrap()).unwrap()["value"]["text"],
        "short"
    );
    writeln!(to, "{}", submit(3, &json!({"text": "long".repeat(1 << 10)}))).unwrap();
    assert_lost(&received(&mut from));
    Ended::of(child).code(5).says("`values.jsonl` cannot be written");
    let mut child = limited(&place, &["--once"]);
    let mut to = child.stdin.take().unwrap();
    let mut from = BufReader::new(child.stdout.take().unwrap());
    introduce(&mut |message| writeln!(to, "{message}").unwrap());
    received(&mut from);
    writeln!(to, "{}", submit(2, &json!({"text": "long".repeat(1 << 10)}))).unwrap();
    assert_lost(&received(&mut from));
    Ended::of(child).code(5).says("`values.jsonl` cannot be written");
}

/// Serves where a file of 512 bytes is full.
fn limited(place: &Place, more: &[&str]) -> Child {
    let script = "ulimit -f 1; trap '' XFSZ; exec \"$0\" \"$@\"";
    let mut limited = Command::new("sh");
    limited.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_extractable"));
    limited.args(["serve-mcp", "-s", "text.json", "--out", "values.jsonl"]).args(more);
    limited.current_dir(place.path("."));
    limited.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn assert_lost(answer: &Value) {
    let result = &answer["result"];
    assert_eq!((&result["isError"], &result["structuredContent"]), (&json!(true), &Value::Null));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("But it is lost: `values.jsonl` cannot be written"), "{text}");
}

#[test]
fn no_other_file_gets_values() {
    let place = Place::new();
    place.write("notes.txt", "mine");
    place.run(&["serve-mcp", "-s", "invoice.json", "--out", "notes.txt"]).code(2).says("has no values of");
    assert_eq!(place.text("notes.txt"), "mine");
}

#[test]
fn the_address_of_a_free_port_is_said() {
    let place = Place::new();
    let mut child = place.command(&["serve-mcp", "-s", "invoice.json", "--http", "0"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("serving at http://").and_then(|rest| rest.strip_suffix("/mcp"));
    assert!(TcpStream::connect(address.unwrap()).is_ok(), "{line}");
    child.kill().unwrap();
    child.wait().unwrap();
}
