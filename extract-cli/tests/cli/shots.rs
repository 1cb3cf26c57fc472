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

#[test]
fn a_wrong_shot_is_named_before_anything_is_asked() {
    let (place, server) = (place(), Server::replying(GOOD));
    for (shots, says) in [
        ("", "the file `s.jsonl` has no shots"),
        ("{}", "s.jsonl:1: not a shot: missing field `text`"),
        (r#"{"text": "a", "answer": 1}"#, "s.jsonl:1: not a shot: unknown field `answer`"),
        ("\n[", "s.jsonl:2: not a shot"),
        (
            r#"{"text": "a", "value": {"number": "INV-1"}}"#,
            "s.jsonl:1: not a right answer: [MISSING_FIELD] $.currency",
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
        .says("the shots `none` cannot be read");
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
