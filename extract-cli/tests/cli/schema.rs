//! `extractable schema`.

use serde_json::json;

use crate::program::{GOOD, Place};

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

#[test]
fn a_line_of_fields_is_a_schema_for_every_command() {
    let place = Place::new();
    let fields = "number, currency, total number, paid? bool";
    let schema = place.run(&["schema", "--fields", fields]).code(0).json();
    assert_eq!(schema["properties"]["total"], json!({"type": "number"}));
    assert_eq!(schema["required"], json!(["number", "currency", "total"]));
    let types = place.run(&["schema", "--fields", fields, "--as", "types"]).code(0).out;
    assert!(types.contains("  \"total\": number\n") && types.contains("  \"paid\"?: boolean\n"), "{types}");
    place.write("reply", GOOD);
    place.write("letter.txt", "Invoice");
    let model = "sh -c 'cat > /dev/null; cat reply'";
    place.pipe(GOOD, &["read", "--fields", fields]).code(0);
    place.pipe(&GOOD.replace("1064.4", "\"a lot\""), &["validate", "--fields", fields]).code(1);
    place.run(&["extract", "--fields", fields, "--command", model, "letter.txt"]).code(0);
    place.run(&["run", "--fields", fields, "--command", model, "letter.txt", "-o", "out.csv"]).code(0);
    assert_eq!(
        place.text("out.csv"),
        "key,status,error,number,currency,total,paid\nletter.txt,done,,INV-3107,EUR,1064.4,\n"
    );
    place
        .run(&["read", "--fields", "a, b strang"])
        .code(2)
        .says("`--fields`, column 6: `strang` is not a type");
    place.run(&["read", "--fields", fields, "-s", "invoice.json"]).code(2).says("cannot be used with");
    for command in ["read", "extract", "run", "validate", "serve-mcp"] {
        place.run(&[command]).code(2).says("--schema <FILE>|--fields <LINE>");
    }
    place.run(&["schema"]).code(2).says("<SCHEMA|--from <EXAMPLE>|--fields <LINE>>");
    place.run(&["schema", "invoice.json", "--fields", fields]).code(2).says("cannot be used with");
}

#[test]
fn an_example_is_a_schema() {
    let place = Place::new();
    place.write("example.json", GOOD);
    let schema = place.run(&["schema", "--from", "example.json"]).code(0);
    assert_eq!(schema.json()["properties"]["total"], json!({"type": "number"}));
    assert_eq!(place.pipe(GOOD, &["schema", "--from", "-"]).code(0).out, schema.out);
    place.write("made.json", &schema.out);
    place.pipe(GOOD, &["validate", "-s", "made.json"]).code(0);
    place.pipe(r#"{"number": 1}"#, &["validate", "-s", "made.json"]).code(1);
    let types = place.run(&["schema", "--from", "example.json", "--as", "types"]).code(0).out;
    assert!(types.contains("  \"total\": number\n"), "{types}");
    place.write("broken.json", "{\"a\": }");
    place
        .run(&["schema", "--from", "broken.json"])
        .code(2)
        .says("is not JSON: expected value at line 1 column 7");
    place.run(&["schema", "--from", "none.json"]).code(2).says("the example `none.json` cannot be read");
    place.run(&["schema", "--from", "example.json", "made.json"]).code(2).says("cannot be used with");
    place.run(&["schema"]).code(2).says("<SCHEMA");
}

#[test]
fn an_example_in_the_place_of_a_schema_is_called_so() {
    let place = Place::new();
    place.write("invoice_example.json", r#"{"number": "INV-1", "total": 5}"#);
    place
        .run(&["extract", "--schema", "invoice_example.json", "--command", "true"])
        .code(2)
        .says("`number`, `total` are not keywords of JSON Schema")
        .says("`extractable schema --from invoice_example.json` makes a schema of an example");
    place.write("misspelt.json", r#"{"type": "object", "requred": ["number"]}"#);
    place.run(&["schema", "misspelt.json"]).code(2).says("did you mean `required`?");
}
