//! Worked examples, and agents that take over.

use serde_json::json;

use crate::{
    program::{GOOD, Place},
    server::Server,
};

const WRONG: &str = "sh -c 'cat > first; echo {}'";

fn place() -> Place {
    let place = Place::new();
    place.write("reply", GOOD);
    place.write("letter.txt", "Invoice INV-3107");
    place
}

#[test]
fn shots_stand_before_each_document() {
    let (place, server) = (place(), Server::replying(GOOD));
    let other = GOOD.replace("3107", "0001");
    place.write(
        "shots.jsonl",
        format!(
            "\n{}\n",
            json!({"text": "No. 1", "value": serde_json::from_str::<serde_json::Value>(&other).unwrap()})
        ),
    );
    let words = ["-s", "invoice.json", "letter.txt", "--shots", "shots.jsonl", "-q"];
    for command in ["extract", "run"] {
        place.run(&[&[command], &words[..], &server.options()].concat()).code(0);
        let asked = server.asked().pop().unwrap()["messages"].to_string();
        let places = ["No. 1", "INV-0001", "Invoice INV-3107"].map(|text| asked.find(text));
        assert!(places[0].is_some() && places.is_sorted(), "{asked}");
    }
    // They are a part of the question.
    let job = [&["run"], &words[..5], &server.options(), &["-o", "out.jsonl"]].concat();
    let without = [&["run"], &words[..3], &server.options(), &["-o", "out.jsonl"]].concat();
    place.run(&without).code(0);
    place.run(&job).code(0).says("1 changed since and asked again");
    place.run(&job).code(0).says("1 known before");
    place.run(&[&job[..], &["-o", "shots.jsonl", "--overwrite"]].concat()).code(2);
}

/// Three shots, of which the last is nearest to the letter.
fn three_shots(place: &Place) {
    let lines = ["A quite different text", "Invoice INV-0002, as sent", "Invoice INV-3108"].map(|text| {
        let value: serde_json::Value = serde_json::from_str(GOOD).unwrap();
        format!("{}\n", json!({"text": text, "value": value}))
    });
    place.write("shots.jsonl", lines.concat());
}

#[test]
fn so_many_shots_are_shown_nearest_or_first_at_their_place() {
    let (place, server) = (place(), Server::replying(GOOD));
    three_shots(&place);
    let asked = |options: &[&str]| {
        let words = ["extract", "-s", "invoice.json", "letter.txt", "--shots", "shots.jsonl", "-q"];
        place.run(&[&words[..], &server.options(), options].concat()).code(0);
        server.asked().pop().unwrap()["messages"].clone()
    };
    let order = |messages: &serde_json::Value| {
        let text = messages.to_string();
        ["different text", "INV-0002, as sent", "INV-3108"].map(|shot| text.find(shot))
    };
    assert!(order(&asked(&[])).is_sorted(), "all, in the order of the file");
    let [far, near, nearest] = order(&asked(&["--shot-count", "2"]));
    assert!(far.is_none() && near.is_some() && near < nearest);
    let [far, near, nearest] = order(&asked(&["--shot-count", "2", "--shot-choice", "nearest-first"]));
    assert!(far.is_none() && nearest.is_some() && nearest < near);
    let [far, near, nearest] = order(&asked(&["--shot-count", "2", "--shot-choice", "first"]));
    assert!(far.is_some() && far < near && nearest.is_none());
    let turns = asked(&["--shot-count", "1"]).as_array().unwrap().len();
    let system = asked(&["--shot-count", "1", "--shot-position", "system"]);
    assert_eq!(system.as_array().unwrap().len(), turns - 2);
    assert!(system[0].to_string().contains("INV-3108"), "{system}");
    place
        .run(&["extract", "-s", "invoice.json", "--command", "cat", "letter.txt", "--shot-count", "1"])
        .code(2)
        .says("--shots");
}

#[test]
fn the_notation_and_thoughts_are_settings() {
    let (place, server) = (place(), Server::replying(GOOD));
    let asked = || server.asked().pop().unwrap()["messages"].to_string();
    let run = |options: &[&str]| {
        place.run(
            &[&["extract", "-s", "invoice.json", "letter.txt", "-q"][..], &server.options(), options]
                .concat(),
        )
    };
    run(&["--notation", "types"]).code(0);
    assert!(asked().contains("type Invoice = {"), "{}", asked());
    place.write("extractable.toml", "notation = \"json-schema\"\nthink_first = true\n");
    run(&[]).code(0);
    assert!(asked().contains(r#"\"properties\""#) && asked().contains("<think>"), "{}", asked());
    run(&["--notation", "typescript"]).code(2).says("json-schema");
}

#[test]
fn a_job_asks_again_if_its_shots_or_their_choice_change() {
    let (place, server) = (place(), Server::replying(GOOD));
    three_shots(&place);
    let run = |options: &[&str]| {
        let words = ["run", "-s", "invoice.json", "letter.txt", "--shots", "shots.jsonl", "-o", "out.jsonl"];
        place.run(&[&words[..], &server.options(), options].concat()).code(0)
    };
    let nearest = ["--shot-count", "1"];
    run(&nearest);
    run(&nearest).says("1 known before");
    for other in [&["--shot-count", "2"][..], &["--shot-count", "2", "--shot-choice", "nearest-first"]] {
        run(other).says("1 changed since and asked again");
    }
    run(&nearest).says("1 changed since and asked again");
    // A correction of a line that is not even shown: it may be the next time.
    let line = json!({"text": "A quite different text", "value": {"number": "INV-0009", "currency": "EUR", "total": 1}});
    place.write("shots.jsonl", place.text("shots.jsonl") + &format!("{line}\n"));
    run(&nearest).says("1 changed since and asked again");
    run(&[&nearest[..], &["--notation", "types"]].concat()).says("1 changed since and asked again");
    run(&[&nearest[..], &["--notation", "types"]].concat()).says("1 known before");
}

#[test]
fn a_wrong_shot_is_named_before_anything_is_asked() {
    let (place, server) = (place(), Server::replying(GOOD));
    for (shots, says) in [
        ("", "the file `s.jsonl` has no shots"),
        ("{}\n", "`s.jsonl`, line 1: missing field `value`"),
        (r#"{"value": 1}"#, "`s.jsonl`, line 1: it has neither a text nor a path"),
        ("\n[]\n", "`s.jsonl`, line 2: "),
        (
            r#"{"text": "a", "value": {"number": "INV-1"}}"#,
            r#"s.jsonl: the shot "a" is not a right answer: [MISSING_FIELD] $.currency"#,
        ),
    ] {
        place.write("s.jsonl", shots);
        for command in ["extract", "run"] {
            let words = [command, "-s", "invoice.json", "letter.txt", "--shots", "s.jsonl"];
            place.run(&[&words[..], &server.options()].concat()).code(2).says(says);
        }
    }
    place
        .run(&["extract", "-s", "invoice.json", "--command", "cat", "--shots", "none", "letter.txt"])
        .code(2)
        .says("the shots cannot be read: `none`");
    assert!(server.asked().is_empty());
}

#[test]
fn another_agent_takes_over_where_the_first_makes_no_progress() {
    let place = place();
    let then = "command:sh -c 'cat > second; cat reply'";
    for command in ["extract", "run"] {
        let words = [command, "-s", "invoice.json", "--command", WRONG, "--then", then, "letter.txt", "-q"];
        let ended = place.run(&words).code(0);
        assert!(ended.out.contains("INV-3107"), "{ended:?}");
        assert!(place.text("second").contains("Invoice INV-3107"));
        std::fs::remove_file(place.path("second")).unwrap();
    }
    let right = [
        "extract",
        "-s",
        "invoice.json",
        "--command",
        "sh -c 'cat > first; cat reply'",
        "--then",
        then,
        "letter.txt",
    ];
    place.run(&right).code(0);
    assert!(!place.path("second").exists(), "the first one did it");
}

#[test]
fn an_agent_that_takes_over_is_named_like_the_first() {
    let place = place();
    place.write("scan.png", "\u{89}PNG");
    let then = |agent: &str, input: &str| {
        let words =
            ["extract", "-s", "invoice.json", "--agent", "openai/x", "--base-url", "http://127.0.0.1:1"];
        place.run(&[&words[..], &["--then", agent, input]].concat()).code(2)
    };
    then("gpt-4o-mini", "letter.txt")
        .says("`--then gpt-4o-mini` names no provider")
        .says("`openai/gpt-4o-mini`");
    then("opnai/x", "letter.txt").says("unknown provider `opnai`");
    then("command:", "letter.txt").says("`--then command:` names no program");
    then("command:cat", "scan.png").says("an image, and `--then command:cat` takes text only");
    #[cfg(not(feature = "local"))]
    then("local", "letter.txt").says("--features local");
}
