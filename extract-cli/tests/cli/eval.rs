//! `extractable eval`.

use serde_json::{Value, json};

use crate::{
    program::{GOOD, Place},
    server::{Response, Server},
};

/// Two letters with their right values.
fn place() -> Place {
    let place = Place::new();
    let other = GOOD.replace("3107", "0001");
    place.write("letter.txt", "No. 1");
    let lines = [
        json!({"text": "Invoice INV-3107", "value": serde_json::from_str::<Value>(GOOD).unwrap()}),
        json!({"path": "letter.txt", "value": serde_json::from_str::<Value>(&other).unwrap()}),
    ];
    place.write("gold.jsonl", lines.map(|line| format!("{line}\n")).concat());
    place
}

fn with<'a>(server: &'a Server, args: &[&'a str]) -> Vec<&'a str> {
    [&["eval", "-s", "invoice.json", "--gold", "gold.jsonl"], &server.options()[..], args].concat()
}

#[test]
fn each_field_is_counted() {
    let (place, server) = (place(), Server::replying(GOOD));
    let ended = place.run(&with(&server, &["-p", "What is due?"])).code(0);
    assert!(ended.out.contains("fields right     0.833"), "{}", ended.out);
    assert!(ended.out.contains("documents right  0.500"), "{}", ended.out);
    let asked = server.asked()[0].to_string();
    assert!(asked.contains("What is due?"), "{asked}");

    let report = place.run(&with(&server, &["--json"])).code(0).json();
    let number = &report["candidates"][0]["fields"][0];
    assert_eq!((&number["field"], &number["score"]["right"]), (&json!("number"), &json!(1)));
}

#[test]
fn agents_and_worked_examples_are_compared() {
    let place = place();
    let server = Server::new(|asked| {
        let is_first = asked.contains("No. 1") && !asked.contains("INV-3107");
        Response::Reply(if is_first { GOOD.replace("3107", "0001") } else { GOOD.to_owned() })
    });
    let args = ["--agent", "openai/other", "--nearest", "1", "--json", "--concurrent", "1"];
    let report = place.run(&with(&server, &args)).code(0).json();
    let names: Vec<_> =
        (0..4).map(|index| report["candidates"][index]["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(
        names,
        ["openai/scripted", "openai/scripted, 1 nearest", "openai/other", "openai/other, 1 nearest"]
    );
    assert_eq!(report["differences"].as_array().unwrap().len(), 3);
    // The other document is the worked example, and never the one that is asked about.
    let asked = server.asked();
    let text = asked[2]["messages"].to_string();
    assert!(text.find("No. 1").unwrap() < text.find("Invoice INV-3107").unwrap(), "{text}");
    assert_eq!(text.matches("Invoice INV-3107").count(), 1, "{text}");
}

#[test]
fn the_exit_code_says_whether_enough_fields_are_right() {
    let place = place();
    // The number of the second letter is wrong.
    let server = Server::replying(GOOD);
    let run = |server: &Server, words: &[&str]| place.run(&with(server, words));
    run(&server, &["--at-least", "0.83"]).code(0);
    let ended = run(&server, &["--at-least", "0.84"]).code(1);
    let ended =
        ended.says("`openai/scripted`: 5 of 6 fields are right (0.833), and `--at-least` asks for 0.84");
    assert!(ended.out.contains("fields right     0.833"), "{}", ended.out);
    let ended = run(&server, &["--at-least", "1", "--json", "-q"]).code(1);
    assert!(ended.err.is_empty() && ended.json()["candidates"][0]["exact"]["value"].is_number(), "{ended:?}");
    run(&server, &["--at-least", "80"]).code(2).says("it is a number from 0 to 1");
    // Each candidate counts.
    let of_second = Server::new(|asked| {
        let is_wrong = asked.contains("\"other\"");
        Response::Reply(if is_wrong { GOOD.replace("1064.4", "1") } else { GOOD.to_owned() })
    });
    let ended = run(&of_second, &["--agent", "openai/other", "--at-least", "0.8"]).code(1);
    assert!(!ended.err.contains("openai/scripted"), "{ended:?}");
    ended.says("`openai/other`: 3 of 6 fields are right (0.500)");
    // A document without an answer is as wrong as its fields.
    let half = Server::new(|asked| {
        Response::Reply(if asked.contains("No. 1") { "none".to_owned() } else { GOOD.to_owned() })
    });
    run(&half, &[]).code(1);
    run(&half, &["--at-least", "0.5"]).code(0).says("1 document has no answer");
    run(&half, &["--at-least", "0.6"]).code(1);
    run(&Server::new(|_| Response::Status(401)), &["--at-least", "0"]).code(4);
}

#[test]
fn no_document_is_shown_its_own_right_answer() {
    let (place, server) = (place(), Server::replying(GOOD));
    let count = ["--shot-count", "2"];
    let choices = [vec![], count.to_vec(), [&count[..], &["--shot-choice", "first"]].concat()];
    for choice in choices {
        let shots = ["--shots", "gold.jsonl", "--concurrent", "1"];
        place.run(&with(&server, &[&shots[..], &choice].concat())).code(0);
        let asked = server.asked();
        let numbers = ["INV-3107", "INV-0001"].map(|number| format!(r#"\"number\":\"{number}\""#));
        for (index, asked) in asked[asked.len() - 2..].iter().enumerate() {
            let text = asked["messages"].to_string();
            let shown = numbers.each_ref().map(|number| text.contains(number));
            assert_eq!(shown, [index == 1, index == 0], "{choice:?} {text}");
        }
    }
}

#[test]
fn the_page_shows_what_is_wrong_and_replaces_nothing_else() {
    let (place, server) = (place(), Server::replying(GOOD));
    place.run(&with(&server, &["--page", "eval.html"])).code(0);
    let page = place.text("eval.html");
    assert!(page.contains("INV-0001") && page.contains("$.number"), "{page}");
    place.run(&with(&server, &["--page", "eval.html"])).code(0);
    place.write("notes.html", "mine");
    place.run(&with(&server, &["--page", "notes.html"])).code(2).says("--overwrite");
    assert_eq!(place.text("notes.html"), "mine");
    // Whatever is read, also with `--overwrite`.
    for input in ["gold.jsonl", "invoice.json", "letter.txt"] {
        let before = place.text(input);
        place.run(&with(&server, &["--page", input, "--overwrite"])).code(2).says("is used here too");
        assert_eq!(place.text(input), before);
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    let (place, server) = (place(), Server::replying(GOOD));
    place.write("gold.jsonl", "{\"text\": \"a\"}\n");
    place.run(&with(&server, &[])).code(2).says("line 1: missing field `value`");
    place.write("gold.jsonl", "\n");
    place.run(&with(&server, &[])).code(2).says("has no documents");
    assert!(server.asked().is_empty());
}

#[test]
fn a_path_is_read_as_a_job_reads_it() {
    let (place, server) = (Place::new(), Server::replying(GOOD));
    place.write("docs/a.html", "<html><body><p>Invoice one <b>of 77</b></p></body></html>");
    place.write("docs/b.txt", "Invoice two of 78");
    let mut files = vec!["a.html", "b.txt"];
    if cfg!(feature = "office") {
        place.write("docs/c.eml", "Subject: =?utf-8?q?Caf=C3=A9?=\r\n\r\nInvoice three of 79\r\n");
        files.push("c.eml");
    }
    let line = |file: &&str| format!("{{\"path\": \"docs/{file}\", \"value\": {GOOD}}}\n");
    place.write("gold.jsonl", files.iter().map(line).collect::<String>());
    let messages =
        |server: &Server| server.asked().iter().map(|asked| asked["messages"].clone()).collect::<Vec<_>>();
    let job = ["run", "-s", "invoice.json", "docs", "-n", "1"];
    let of_job = Server::replying(GOOD);
    place.run(&[&job[..], &of_job.options()].concat()).code(0);
    place.run(&with(&server, &["--concurrent", "1"])).code(0);
    assert_eq!(messages(&server), messages(&of_job));
    assert!(messages(&server)[0].to_string().contains("Invoice one of 77"), "{:?}", messages(&server));
    // So it is known as the same document, which is not its own worked example.
    let with_shots = Server::replying(GOOD);
    let shots = ["--shots", "gold.jsonl", "--shot-count", "9"];
    place.run(&[&job[..], &with_shots.options(), &shots].concat()).code(0);
    for (asked, own) in messages(&with_shots).iter().zip(["of 77", "of 78", "of 79"]) {
        assert_eq!(asked.to_string().matches(own).count(), 1, "{asked}");
    }
    place.write("docs/a.png", "\u{89}PNG");
    place.write("gold.jsonl", line(&"a.png"));
    place.run(&with(&server, &[])).code(2).says("`docs/a.png`: it is no text");
}

#[test]
fn values_that_the_schema_refuses_are_named_by_their_lines() {
    let (place, server) = (place(), Server::replying(GOOD));
    let lines = [
        json!({"text": "corrected below", "value": 1}),
        json!({"text": "right", "value": serde_json::from_str::<Value>(GOOD).unwrap()}),
        json!({"text": "wrong", "value": {"number": "INV-1", "currency": "EUR", "total": "5"}}),
        json!({"text": "corrected below", "value": null}),
    ];
    place.write("gold.jsonl", lines.map(|line| format!("{line}\n")).concat());
    let ended = place.run(&with(&server, &[])).code(0);
    let ended =
        ended.says("`gold.jsonl`, line 3: the schema refuses the value").says("$.total").says("$.number");
    let ended = ended.says("`gold.jsonl`, line 4: ");
    let ended = ended.says("1 line of the gold set replaced");
    assert_eq!(ended.err.lines().count(), 3, "{}", ended.err);
    assert!(place.run(&with(&server, &["--quiet"])).code(0).err.is_empty());
    let many = (0..7).map(|number| format!("{{\"text\": \"{number}\", \"value\": 1}}\n"));
    place.write("gold.jsonl", many.collect::<String>());
    place.run(&with(&server, &[])).code(0).says("line 5: ").says("the schema refuses 2 other values too");
}

#[test]
fn an_agent_that_cannot_be_asked_is_an_error_and_no_score() {
    let (place, server) = (place(), Server::new(|_| Response::Status(401)));
    let line = |number: usize| format!("{{\"text\": \"No. {number}\", \"value\": {GOOD}}}\n");
    place.write("gold.jsonl", (0..30).map(line).collect::<String>());
    let ended = place.run(&with(&server, &["--concurrent", "1"])).code(4);
    let ended =
        ended.says("`openai/scripted` could not be asked").says("401").says("is the key of its provider");
    assert!(ended.out.is_empty(), "{}", ended.out);
    assert_eq!(server.asked().len(), 10);
    // What another agent answered is reported before.
    let other = ["--agent", "command:echo no", "--max-attempts", "1"];
    let ended = place.run(&with(&server, &other)).code(4);
    assert!(ended.out.contains("openai/scripted: could not be asked"), "{}", ended.out);
    assert!(ended.out.contains("command:echo no: 30 documents, 30 failed"), "{}", ended.out);
}

#[test]
fn a_document_without_an_answer_is_counted_and_shown_by_the_exit_code() {
    let (place, server) = (place(), Server::replying("I do not know."));
    let ended = place.run(&with(&server, &["--max-attempts", "1"])).code(1);
    assert!(ended.out.contains("2 documents, 2 failed"), "{}", ended.out);
    // Not even where there is nothing to find.
    place.write("invoice.json", r#"{"type": "object", "properties": {"a": {"type": ["string", "null"]}}}"#);
    place.write("gold.jsonl", r#"{"text": "Dear Ann,", "value": {"a": null}}"#);
    let ended = place.run(&with(&server, &["--max-attempts", "1"])).code(1);
    assert!(ended.out.contains("fields right     0.000"), "{}", ended.out);
    assert!(ended.out.contains("documents right  0.000"), "{}", ended.out);
}

#[test]
fn a_long_text_is_divided_as_in_a_job() {
    let server = Server::new(|asked| {
        let names = ["Ada", "Grace"].into_iter().filter(|name| asked.contains(&format!("{name} came")));
        Response::Reply(json!(names.collect::<Vec<_>>()).to_string())
    });
    let place = Place::new();
    place.write("invoice.json", r#"{"type": "array", "items": {"type": "string"}}"#);
    let text = "Ada came in the morning.\n\nIt rained for a while.\n\nGrace came at noon.\n";
    place.write("gold.jsonl", json!({"text": text, "value": ["Ada", "Grace"]}).to_string());
    let ended = place.run(&with(&server, &["-p", "Who?", "--chunk-chars", "30"])).code(0);
    assert!(ended.out.contains("documents right  1.000"), "{}", ended.out);
    assert_eq!(server.asked().len(), 3);
}

#[test]
fn values_that_were_checked_against_another_schema_are_named() {
    let (place, server) = (place(), Server::replying(GOOD));
    let schema: Value = serde_json::from_str(&place.text("invoice.json")).unwrap();
    let fingerprint = extract::Contract::from_schema(schema).unwrap().fingerprint();
    let line = |schema: &str| json!({"text": schema, "value": serde_json::from_str::<Value>(GOOD).unwrap(), "schema": schema});
    let lines = [line(&fingerprint), line("other"), line("older")];
    place.write("gold.jsonl", lines.map(|line| format!("{line}\n")).concat());
    place
        .run(&with(&server, &[]))
        .code(0)
        .says("`gold.jsonl`: 2 values checked against another schema")
        .says("line 2");
}

/// Two documents, each with its own schema and instruction.
fn own_schemas() -> Place {
    let place = Place::new();
    let schema =
        |key: &str| json!({"type": "object", "properties": {key: {"type": "string"}}, "required": [key]});
    let lines = [
        json!({"text": "A table for two", "instruction": "How many?", "value": {"guests": "two"}, "schema": schema("guests"),
            "alternatives": {"/guests": ["2"]}}),
        json!({"text": "See you in Bari!", "instruction": "Where?", "value": {"city": "Bari"}, "schema": schema("city")}),
    ];
    place.write("gold.jsonl", lines.map(|line| format!("{line}\n")).concat());
    place
}

/// Replies with what the schema in the question asks for.
fn own_answers() -> Server {
    Server::new(|asked| {
        Response::Reply(
            if asked.contains("guests") { r#"{"guests": "2"}"# } else { r#"{"city": "Bari"}"# }.to_owned(),
        )
    })
}

#[test]
fn a_document_may_have_its_own_schema_and_instruction() {
    let (place, server) = (own_schemas(), own_answers());
    let with = |args: &[&str]| {
        place.run(
            &[&["eval", "--gold", "gold.jsonl", "--concurrent", "1"], &server.options()[..], args].concat(),
        )
    };
    let ended = with(&[]).code(0);
    assert!(ended.out.contains("fields right     1.000"), "{}", ended.out);
    assert!(ended.out.contains("conforming       1.000") && ended.err.is_empty(), "{ended:?}");
    let asked = server.asked();
    assert!(
        asked[0].to_string().contains("How many?") && asked[1].to_string().contains("Where?"),
        "{asked:?}"
    );
    with(&["--limit", "1", "-p", "How many guests?"]).code(0);
    let asked = server.asked();
    assert_eq!(asked.len(), 3);
    assert!(asked[2].to_string().contains("How many guests?"), "{}", asked[2]);
    // Worked examples are values of one schema.
    with(&["--nearest", "1"]).code(2).says("`--nearest` needs one schema");
    with(&["--shots", "gold.jsonl"]).code(2).says("`--shots` needs one schema");
    place.write("gold.jsonl", "{\"text\": \"a\", \"value\": 1}\n");
    with(&[]).code(2).says("`gold.jsonl`, line 1").says("no schema of its own").says("--schema");
    assert_eq!(server.asked().len(), 3);
}

#[test]
fn files_with_settings_are_compared() {
    let (place, server) = (own_schemas(), own_answers());
    place.write("types.toml", "notation = \"types\"");
    place.write("json.toml", "notation = \"json-schema\"\nschema-position = \"after-prompt\"");
    let settings = ["--settings", "types.toml", "--settings", "json.toml"];
    let args =
        [&["eval", "--gold", "gold.jsonl", "--concurrent", "1", "--json"], &settings[..], &server.options()];
    let report = place.run(&args.concat()).code(0).json();
    let names = ["openai/scripted, types.toml", "openai/scripted, json.toml"];
    assert_eq!([&report["candidates"][0]["name"], &report["candidates"][1]["name"]], names);
    assert_eq!(report["differences"][0]["candidate"], names[1]);
    let asked: Vec<String> = server.asked().iter().map(|asked| asked["messages"].to_string()).collect();
    assert!(asked[0].contains("type Answer") && asked[2].contains(r#"\"properties\""#), "{asked:?}");
    // The same documents for all, or the numbers could not be compared.
    place.write("json.toml", "limit = 1");
    place.run(&args.concat()).code(2).says("`json.toml` has other documents");
    place.run(&[&["extract", "gold.jsonl"], &settings[..]].concat()).code(2).says("names several files");
}

#[test]
fn a_schema_of_the_settings_is_asked_for() {
    let (place, server) = (own_schemas(), own_answers());
    place.write("city.json", r#"{"type": "object", "properties": {"city": {"type": "string"}}}"#);
    place.write("own.toml", "notation = \"types\"");
    place.write("city.toml", "schema = \"city.json\"\nnotation = \"types\"");
    let settings = ["--settings", "own.toml", "--settings", "city.toml"];
    let args =
        [&["eval", "--gold", "gold.jsonl", "--concurrent", "1", "--json"], &settings[..], &server.options()];
    let report = place.run(&args.concat()).code(0).json();
    assert_eq!(report["candidates"][0]["documents"][0]["value"], json!({"guests": "2"}));
    assert_eq!(report["candidates"][1]["documents"][0]["value"], json!({"city": "Bari"}));
}

#[test]
fn what_is_in_the_cache_is_not_asked_again() {
    let (place, server) = (own_schemas(), own_answers());
    let with = |args: &[&str]| {
        let cache = ["--gold", "gold.jsonl", "--cache", "replies.redb"];
        place.run(&[&["eval"], &cache[..], &server.options(), args].concat())
    };
    // As if it had been interrupted.
    with(&["--limit", "1"]).code(0);
    let ended = with(&[]).code(0).says("1 answer taken from `replies.redb`");
    assert!(ended.out.contains("fields right     1.000"), "{}", ended.out);
    assert_eq!(server.asked().len(), 2);
    with(&[]).code(0).says("2 answers taken");
    assert_eq!(server.asked().len(), 2);
    // Another agent, and another question.
    with(&["--agent", "command:echo no", "--max-attempts", "1"]).code(1);
    with(&["--agent", "command:echo nothing", "--max-attempts", "1"]).code(1).says("2 answers taken");
    with(&["-p", "Which one?"]).code(0);
    assert_eq!(server.asked().len(), 4);
    place
        .run(&[&["eval", "--gold", "gold.jsonl", "--cache", "gold.jsonl"], &server.options()[..]].concat())
        .code(5)
        .says("another kind of file");
}

#[test]
fn settings_that_make_no_sense_are_a_mistake_of_usage_and_no_score() {
    let (place, server) = (place(), Server::replying(GOOD));
    for (options, says) in [
        (&["--keep-valid-items"][..], "leave `--keep-valid-items` away"),
        (&["--confidence", "2", "--chunk-chars", "100"], "leave out `--chunk-chars` or `--confidence`"),
        // Nobody could take over.
        (&["--confidence", "2", "--escalate-below", "0.5"], "unexpected argument '--escalate-below'"),
    ] {
        for json in [&[][..], &["--json"]] {
            let ended = place.run(&with(&server, &[options, json].concat())).code(2);
            assert!(ended.out.is_empty(), "{ended:?}");
            ended.says(says);
        }
    }
    assert!(server.asked().is_empty());
}

#[test]
fn why_a_document_has_no_answer_is_said() {
    let (place, server) = (place(), Server::replying("I do not know."));
    let ended = place.run(&with(&server, &["--max-attempts", "1"])).code(1);
    ended.says("`openai/scripted`: 2 documents have no answer; the first: no acceptable answer after 1 of 1");
}

#[test]
fn lines_that_are_replaced_are_counted() {
    let (place, server) = (place(), Server::replying(GOOD));
    let line = |text: &str| format!("{{\"key\": \"a\", \"text\": \"{text}\", \"value\": {GOOD}}}\n");
    place.write("gold.jsonl", [line("one"), line("two")].concat());
    let ended = place.run(&with(&server, &[])).code(0);
    ended.says("1 line of the gold set replaced by later ones about the same document");
    place.write("gold.jsonl", line("one") + "{\"text\": }\n");
    place.run(&with(&server, &[])).code(2).says("line 2: expected value at column 10;");
}
