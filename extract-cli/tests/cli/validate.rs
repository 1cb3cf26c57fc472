//! `extractable validate`.

use crate::program::{GOOD, Place};

#[test]
fn every_violation_is_a_line_with_its_place() {
    let place = Place::new();
    place.write("good.json", GOOD);
    place.write("bad.json", r#"{"number": "INV-7", "total": -1}"#);
    let ended = place.run(&["validate", "-s", "invoice.json", "good.json", "bad.json"]).code(1);
    let places: Vec<_> =
        ended.out.lines().map(|line| line.split(": ").take(2).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        places,
        [
            "bad.json ✗ [MISSING_FIELD] $.currency",
            "bad.json ✗ [INVALID_VALUE] $.number",
            "bad.json ✗ [INVALID_VALUE] $.total",
        ]
    );
    ended.says("2 values, 1 rejected");
    let good = place.run(&["validate", "-s", "invoice.json", "good.json"]).code(0);
    assert_eq!((&*good.out, &*good.err), ("", "1 value, all accepted\n"));
}

#[test]
fn lines_are_values_of_their_own() {
    let place = Place::new();
    let lines = format!("{{\"value\": {GOOD}}}\n\nno\n{{}}\n");
    place.write("out.jsonl", &lines);
    let ended =
        place.run(&["validate", "-s", "invoice.json", "--at", "/value", "out.jsonl", "--json"]).code(1);
    let lines: Vec<serde_json::Value> =
        ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |key: &str| lines.iter().map(|line| line[key].to_string()).collect::<Vec<_>>();
    assert_eq!(of("place"), [r#""out.jsonl:1""#, r#""out.jsonl:3""#, r#""out.jsonl:4""#]);
    assert_eq!(of("accepted"), ["true", "false", "false"]);
    assert_eq!(lines[2]["violations"][0]["message"], "there is nothing at /value");
}

#[test]
fn nothing_is_repaired() {
    let place = Place::new();
    place.pipe("{'number': 1}", &["validate", "-s", "invoice.json"]).code(1);
    place.pipe(GOOD, &["validate", "-s", "invoice.json", "-"]).code(0);
    place.run(&["validate", "-s", "invoice.json", "none.json"]).code(2).says("`none.json` cannot be read");
    place.run(&["validate", "-s", "invoice.json", "--at", "value"]).code(2).says("is no JSON Pointer");
}

#[test]
fn a_key_that_is_there_twice_is_a_violation() {
    let place = Place::new();
    let twice = GOOD.replace("\"total\": 1064.4", "\"total\": 1, \"total\": 1064.4");
    let ended = place.pipe(&twice, &["validate", "-s", "invoice.json"]).code(1);
    ended.prints("stdin: ✗ [INVALID_VALUE] $.total: the same key with two values");
    // Elsewhere it is not checked.
    let around = format!("{{\"a\": 1, \"a\": 2, \"value\": {twice}}}");
    let ended = place.pipe(&around, &["validate", "-s", "invoice.json", "--at", "/value"]).code(1);
    assert_eq!(ended.out.lines().count(), 1, "{}", ended.out);
    assert!(ended.out.contains("$.total: the same key"), "{}", ended.out);
}

#[test]
fn every_input_may_have_a_value_on_every_line() {
    let place = Place::new();
    place.write("many.txt", format!("{GOOD}\n{GOOD}\n{{\n"));
    let ended = place.run(&["validate", "-s", "invoice.json", "--lines", "many.txt"]).code(1);
    assert!(ended.out.contains("many.txt:3: ") && !ended.out.contains("line 1"), "{}", ended.out);
    ended.says("3 values, 1 rejected");
    place.write("none.jsonl", "\n");
    place
        .run(&["validate", "-s", "invoice.json", "none.jsonl"])
        .code(0)
        .says("no values, so nothing was checked");
}
