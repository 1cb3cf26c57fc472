//! `extractable schema`.

use serde_json::json;

use crate::program::Place;

#[test]
fn types_are_the_default() {
    let ended = Place::new().run(&["schema", "invoice.json"]).code(0);
    assert!(ended.out.contains("  \"currency\": \"EUR\" | \"USD\"\n"), "{}", ended.out);
    assert!(ended.out.starts_with("type Invoice = {\n"), "{}", ended.out);
}

#[test]
fn an_example_conforms() {
    let place = Place::new();
    let example = place.run(&["schema", "invoice.json", "--as", "example"]).code(0).out;
    assert!(example.contains("INV-2041"), "{example}");
    place.pipe(&example, &["validate", "-s", "invoice.json"]).code(0);
    place.write("hard.json", r#"{"type": "string", "pattern": "^(?=a)b$"}"#);
    place.run(&["schema", "hard.json", "--as", "example"]).code(1).says("no small value was found");
}

#[test]
fn every_dialect_says_what_it_does_not_enforce() {
    let place = Place::new();
    for dialect in ["openai", "anthropic", "gemini", "ollama"] {
        let report = place.run(&["schema", "invoice.json", "--as", dialect, "--json"]).code(0).json();
        assert_eq!(report["schema"]["type"], "object", "{dialect}");
        assert!(report["unenforced"].is_array(), "{dialect}");
    }
    let ended = place.run(&["schema", "invoice.json", "--as", "anthropic"]).code(0);
    assert_eq!(ended.json()["additionalProperties"], json!(false));
    ended.says("not enforced by Anthropic, but checked: $.properties.total: `minimum`");
    place.write("list.json", r#"{"type": "array", "items": {"type": "integer"}}"#);
    let ended = place.run(&["schema", "list.json", "--as", "openai"]).code(0);
    assert_eq!(ended.json()["properties"]["answer"]["type"], "array");
    ended.says("OpenAI takes only objects");
    place.write("map.json", r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#);
    place.run(&["schema", "map.json", "--as", "openai"]).code(1).says("OpenAI cannot express the schema");
}

#[test]
fn the_other_forms_are_there() {
    let place = Place::new();
    let form = |name: &str| place.run(&["schema", "invoice.json", "--as", name]).code(0).out;
    assert!(form("outline").contains("number (Printed at the top."), "{}", form("outline"));
    assert!(form("instructions").starts_with("Answer with one JSON object"), "{}", form("instructions"));
    assert!(form("json-schema").contains("\"pattern\": \"^INV-\\\\d{4}$\""), "{}", form("json-schema"));
    let types = place.run(&["schema", "invoice.json", "--json"]).code(0).json();
    assert!(types["types"].as_str().unwrap().starts_with("type Invoice"));
}
