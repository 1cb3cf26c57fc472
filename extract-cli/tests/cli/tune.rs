//! `extractable tune`.

use serde_json::{Value, json};

use crate::{
    program::{GOOD, Place},
    server::{Response, Server},
};

const DOCUMENTS: usize = 24;

fn invoice(number: usize) -> String {
    GOOD.replace("3107", &format!("{number:04}"))
}

fn place() -> Place {
    let place = Place::new();
    let line = |number| {
        let value: Value = serde_json::from_str(&invoice(number)).unwrap();
        format!("{}\n", json!({"text": format!("Letter <{number:04}>"), "value": value}))
    };
    place.write("gold.jsonl", (1..=DOCUMENTS).map(line).collect::<String>());
    place
}

/// A model that reads the number where `can` says so.
fn reader(can: impl Fn(&str) -> bool + Send + Sync + 'static) -> Server {
    Server::new(move |asked| {
        let number = asked.rfind("Letter <").map_or(0, |at| asked[at + 8..][..4].parse().unwrap());
        Response::Reply(invoice(if can(asked) { number } else { 9_999 }))
    })
}

fn with<'a>(server: &'a Server, args: &[&'a str]) -> Vec<&'a str> {
    [&["tune", "-s", "invoice.json", "--gold", "gold.jsonl"], &server.options()[..], args].concat()
}

#[test]
fn the_settings_of_the_best_way_are_written_and_used() {
    let place = place();
    let server = reader(|asked| asked.matches("Letter <").count() > 1);
    place.write(
        "extractable.toml",
        "# ours\nschema = \"invoice.json\"\n[run]\nconcurrent = 2\nshot_count = 2\n",
    );
    let args = ["-o", "extractable.toml", "-p", "Read the letter."];
    let ended = place.run(&with(&server, &args)).code(0).says("the settings are in `extractable.toml`");
    let ended = ended.says("`[run] shot-count` there is for its command alone");
    assert!(ended.out.contains("more than noise") && ended.out.contains("1 nearest shots"), "{}", ended.out);
    let settings = place.text("extractable.toml");
    let (tuned, rest) = settings.split_once("# ours").unwrap();
    assert_eq!(rest, "\nschema = \"invoice.json\"\n[run]\nconcurrent = 2\nshot_count = 2\n");
    let lines: Vec<_> = tuned.lines().collect();
    assert!(lines[0].starts_with("# tuned: fields right 0.667 ["), "{tuned}");
    assert_eq!(lines[1..], ["shots = \"gold.jsonl\"", "shot-count = 1"], "{tuned}");

    place.write("letter.txt", "Letter <0777>");
    let words = [&["extract", "letter.txt", "-q"][..], &server.options()].concat();
    assert_eq!(place.run(&words).code(0).json()["number"], "INV-0777");
    // A second time finds the same, because its own settings are not its baseline.
    place.run(&with(&server, &args)).code(0);
    assert_eq!(place.text("extractable.toml"), settings);
}

#[test]
fn without_a_difference_nothing_is_written() {
    let (place, server) = (place(), reader(|_| true));
    place.write("extractable.toml", "quiet = false\n");
    let ended = place.run(&with(&server, &["-o", "extractable.toml"])).code(0);
    assert!(ended.out.contains("no difference"), "{}", ended.out);
    ended.says("`extractable.toml` is unchanged");
    assert_eq!(place.text("extractable.toml"), "quiet = false\n");
}

#[test]
fn it_stops_at_its_budget() {
    let place = place();
    let server = reader(|asked| asked.matches("Letter <").count() > 1);
    let args = ["--request-budget", "60", "--concurrent", "1", "--json"];
    let report = place.run(&with(&server, &args)).code(0).json();
    assert_eq!((&report["tuning"]["ended"], &report["tuning"]["requests"]), (&json!("budget"), &json!(60)));
    assert_eq!(report["recommended"]["shot-count"], 1, "{report}");
    assert_eq!(server.asked().len(), 60);
    place.run(&with(&server, &["--request-budget", "47"])).code(2).says("which take 48");
    place.run(&with(&server, &["--cost-budget", "1"])).code(2).says("--price");
    let dear = ["--cost-budget", "0.000001", "--price", "1,1", "--json"];
    let report = place.run(&with(&server, &dear)).code(0).json();
    assert_eq!((&report["tuning"]["report"], &report["recommended"]), (&Value::Null, &Value::Null));
}

#[test]
fn descriptions_that_help_are_in_a_schema_of_their_own() {
    let place = place();
    let server = reader(|asked| asked.contains("between the brackets"));
    let describer = "command:sh -c 'cat > proposing; echo {\\\"description\\\": \\\"The digits between the brackets.\\\"}'";
    let args = ["--describe", describer, "--schema-out", "tuned.json", "-o", "extractable.toml"];
    let ended = place.run(&with(&server, &args)).code(0);
    let ended = ended.says("// $.number\n/// The digits between the brackets.");
    let schema: Value = serde_json::from_str(&place.text("tuned.json")).unwrap();
    assert_eq!(schema["properties"]["number"]["description"], "The digits between the brackets.");
    assert!(place.text("extractable.toml").contains("\nschema = \"tuned.json\"\n"), "{}", ended.out);
    assert!(place.text("proposing").contains("INV-9999"), "a mistake");
    place.run(&with(&server, &args)).code(2).says("--overwrite");
}

#[test]
fn what_cannot_be_tuned_is_said_before_anybody_is_asked() {
    let (place, server) = (place(), reader(|_| true));
    place.write("letter.txt", "Dear Ann,\n");
    place.run(&with(&server, &["-o", "letter.txt"])).code(2).says("not TOML");
    assert_eq!(place.text("letter.txt"), "Dear Ann,\n");
    place.run(&with(&server, &["-o", "gold.jsonl"])).code(2).says("is used here too");
    place.write("gold.jsonl", format!("{{\"text\": \"a\", \"value\": {GOOD}}}\n"));
    place.run(&with(&server, &[])).code(2).says("tuning needs 20 documents");
    assert!(server.asked().is_empty());
}
