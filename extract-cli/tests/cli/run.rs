//! `extractable run` and `retry-failed`.

use serde_json::json;

use crate::{
    job::{args, lines, place, right, right_but_for, rows, run},
    program::{GOOD, Place},
    server::{Response, Server},
};

#[test]
fn every_message_has_its_outcome_in_the_order_of_the_file() {
    let (place, server) = (place(), right());
    let ended = run(&place, &server, &["-o", "out.jsonl", "--meta", "gold"]).code(0);
    assert_eq!(ended.out, "");
    ended.says("12 documents: 12 done; 12 requests, 1200 tokens in, 240 out");
    for (line, row) in lines(&place.text("out.jsonl")).iter().zip(rows()) {
        assert_eq!(
            (&line["key"], &line["value"], &line["meta"]["gold"]),
            (&row["id"], &row["gold"], &row["gold"])
        );
        assert_eq!((&line["status"], &line["input_tokens"]), (&json!("done"), &json!(100)));
    }
}

#[test]
fn the_same_command_asks_nothing_twice() {
    let (place, server) = (place(), right());
    run(&place, &server, &["-o", "out.jsonl"]).code(0);
    let first = place.text("out.jsonl");
    std::fs::remove_file(place.path("out.jsonl")).unwrap();
    run(&place, &server, &["-o", "out.jsonl"]).code(0).says("12 known before; 0 requests");
    assert_eq!((server.asked().len(), place.text("out.jsonl")), (12, first));

    let changed = place.text("messages.jsonl").replacen(
        "For the three of us.",
        "For the three of us. in 18 days i need at table for 7:30",
        1,
    );
    place.write("messages.jsonl", changed);
    run(&place, &server, &["-o", "out.jsonl"]).code(0).says("1 changed since and asked again; 1 request");
}

#[test]
fn results_go_to_the_standard_output_as_they_come() {
    let (place, server) = (place(), right());
    run(&place, &server, &["-o", "out.jsonl"]).code(0);
    let ended = run(&place, &server, &[]).code(0);
    let sorted = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&ended.out), sorted(&place.text("out.jsonl")), "the same lines");
    ended.says("without --out or --journal nothing is kept");
}

#[test]
fn what_failed_is_told_and_asked_again() {
    let (place, server) = (place(), right_but_for("18 days"));
    let ended = run(&place, &server, &["-o", "out.jsonl"]).code(1);
    ended.says("11 done, 1 failed; 14 requests").says("`extractable inspect out.jsonl.journal --failed`");
    let failed = place.run(&["inspect", "out.jsonl", "--failed"]).code(0).out;
    assert!(
        failed.starts_with("restaurant8k/2944: MaxRetriesExceeded: no acceptable answer after 3 of 3"),
        "{failed}"
    );

    let other = right();
    place
        .run(&args("retry-failed", &other, &["-o", "out.jsonl"]))
        .code(0)
        .says("12 done, 11 known before; 1 request");
    assert_eq!(other.asked().len(), 1);
    assert_eq!(lines(&place.text("out.jsonl"))[1]["value"], rows()[1]["gold"]);
    let none = place.run(&args("retry-failed", &other, &["-o", "none.jsonl"])).code(2);
    none.says("there is no journal `none.jsonl.journal`");
}

#[test]
fn a_budget_stops_the_job_and_the_same_command_goes_on() {
    let (place, server) = (place(), right());
    let options = ["-o", "out.jsonl", "-n", "1"];
    let ended = run(&place, &server, &[&options[..], &["--token-budget", "300"]].concat()).code(3);
    ended
        .says("the token budget is used up: not every document has an outcome")
        .says("have none); the same command goes on");
    let before = server.asked().len();
    assert!((1..12).contains(&before) && !place.path("out.jsonl").exists(), "{before}");
    run(&place, &server, &options).code(0);
    assert_eq!((server.asked().len(), lines(&place.text("out.jsonl")).len()), (12, 12));
}

#[test]
fn a_dry_run_asks_nobody() {
    let (place, server) = (place(), right());
    let options = ["-o", "out.jsonl", "--dry-run", "--price", "1,2"];
    let ended = run(&place, &server, &options).code(0);
    assert!(
        ended.out.starts_with("12 documents: 0 known") && ended.out.contains("cost 0.0"),
        "{}",
        ended.out
    );
    let estimate = run(&place, &server, &[&options[..], &["--json"]].concat()).code(0).json();
    assert_eq!((&estimate["documents"], &estimate["to_ask"]), (&json!(12), &json!(12)));
    assert!(server.asked().is_empty() && !place.path("out.jsonl.journal").exists());
}

#[test]
fn a_report_for_programs_is_one_line() {
    let (place, server) = (place(), right_but_for("18 days"));
    let ended = run(&place, &server, &["-o", "out.jsonl", "--json"]).code(1);
    let report = ended.json();
    assert_eq!(
        (&report["done"], &report["failed"], &report["ended"]),
        (&json!(11), &json!(1), &json!("complete"))
    );
    assert_eq!(ended.err, "");
}

#[test]
fn two_documents_with_one_key_are_a_mistake() {
    let (place, server) = (place(), right());
    let text = place.text("messages.jsonl").replace("restaurant8k/2944", "restaurant8k/227");
    place.write("messages.jsonl", text);
    run(&place, &server, &["-o", "out.jsonl"])
        .code(2)
        .says("two different documents have the key `restaurant8k/227`");
}

#[test]
fn an_agent_that_refuses_everything_ends_the_job() {
    let (place, server) = (place(), Server::new(|_| Response::Status(401)));
    let ended = run(&place, &server, &["-o", "out.jsonl"]).code(4);
    ended.says("the agent refuses every request").says("is the key of its provider");
}

#[test]
fn what_cannot_be_read_ends_the_job_or_is_skipped_by_name() {
    let (place, server) = (Place::new(), Server::replying(GOOD));
    place.write("docs/a.txt", "a");
    place.write("docs/b.txt", [0xff, 0xfe]);
    place.write("docs/c.html", "<p>c</p>");
    let run = |options: &[&str]| {
        let first = ["run", "-s", "invoice.json", "docs", "-o", "out.jsonl"];
        place.run(&[&first[..], &server.options()[..], options].concat())
    };
    run(&[]).code(2).says("docs/b.txt: not UTF-8 text (at byte 0)").says("or give `--skip-unreadable`");
    run(&["--skip-unreadable"]).code(1).says("skipped: docs/b.txt").says("2 done").says("1 skipped");
    let keys: Vec<_> = lines(&place.text("out.jsonl")).iter().map(|line| line["key"].clone()).collect();
    assert_eq!(keys, ["docs/a.txt", "docs/c.html"]);
}

#[test]
fn columns_patterns_and_the_standard_input_are_documents() {
    let (place, server) = (Place::new(), Server::replying(GOOD));
    place.write("t.csv", "id,body\n7,\"a, b\"\n8,c\n");
    place.write("in/x/a.txt", "a");
    place.write("in/b.txt", "b");
    place.write("in/c.md", "# c");
    let run = |input: &str, options: &[&str]| {
        let first = ["run", "-s", "invoice.json", "-q"];
        let ended = place.pipe(input, &[&first[..], &server.options()[..], options].concat()).code(0);
        let mut keys: Vec<_> =
            lines(&ended.out).iter().map(|line| line["key"].as_str().unwrap().to_owned()).collect();
        keys.sort();
        keys
    };
    assert_eq!(run("", &["t.csv", "--text", "body", "--key", "id"]), ["7", "8"]);
    assert_eq!(run("", &["in/**/*.txt", "./in/c.md"]), ["in/b.txt", "in/c.md", "in/x/a.txt"]);
    assert_eq!(run("one\n\ntwo\n", &["--as", "lines"]), ["stdin:1", "stdin:3"]);
    assert_eq!(run("all of it\nis one", &["-"]), ["stdin"]);
}

#[test]
fn options_that_make_no_sense_are_mistakes_of_usage() {
    let (place, server) = (place(), right());
    run(&place, &server, &["-n", "0"]).code(2).says("it is a number from 1");
    run(&place, &server, &["--price", "1"]).code(2).says("two numbers with a comma between");
    run(&place, &server, &["--redact"]).code(2).says("--out <FILE>");
    run(&place, &server, &["--keep-valid-items"]).code(2).says("mark a list in the schema");
    run(&place, &server, &["--journal", "booking.json"]).code(2).says("this is another file");
    assert!(server.asked().is_empty());
}

#[test]
fn sensitive_values_stay_out_of_journal_and_output_when_asked_for() {
    let schema = r#"{"type": "object", "properties": {
        "name": {"type": "string", "x-sensitive": true}, "city": {"type": "string"}}, "required": ["name", "city"]}"#;
    let (place, server) = (Place::new(), Server::replying(r#"{"name": "Okonkwo-Reyes", "city": "Bergen"}"#));
    place.write("s.json", schema);
    place.write("a.txt", "a letter");
    let job = [&["run", "-s", "s.json", "a.txt", "-p", "Who?"][..], &server.options()].concat();
    let holds_the_name = |name: &str| {
        let bytes = std::fs::read(place.path(name)).unwrap();
        bytes.windows(13).any(|part| part == b"Okonkwo-Reyes")
    };
    place.run(&[&job[..], &["-o", "open.jsonl"]].concat()).code(0);
    assert!(holds_the_name("open.jsonl") && holds_the_name("open.jsonl.journal"));
    place.run(&[&job[..], &["-o", "closed.jsonl", "--redact"]].concat()).code(0);
    assert!(!holds_the_name("closed.jsonl") && !holds_the_name("closed.jsonl.journal"));
    assert_eq!(lines(&place.text("closed.jsonl"))[0]["value"]["city"], "Bergen");
}

#[test]
fn failed_documents_are_accepted_in_part_without_asking() {
    let schema = r#"{"type": "array", "items": {"type": "integer"}, "x-keep-valid-items": true}"#;
    let (place, server) = (Place::new(), Server::replying(r#"[1, "many", 3]"#));
    place.write("s.json", schema);
    place.write("a.txt", "one, many, three");
    let with = |command: &'static str, options: &[&'static str]| {
        let job =
            [command, "-s", "s.json", "a.txt", "-p", "Which?", "-o", "out.jsonl", "--max-attempts", "1"];
        place.run(&[&job[..], &server.options(), options].concat())
    };
    with("run", &[]).code(1).says("1 failed");
    let asked = server.asked().len();
    with("retry-failed", &["--in-part"]).code(0).says("1 of them in part");
    let line = &lines(&place.text("out.jsonl"))[0];
    assert_eq!((&line["status"], &line["value"]), (&json!("in_part"), &json!([1, 3])));
    assert_eq!((&line["left_out"][0]["path"], server.asked().len()), (&json!("$[1]"), asked));
}

#[test]
fn what_chunks_disagree_on_and_where_one_has_no_answer_is_said() {
    let schema =
        r#"{"type": "object", "properties": {"guests": {"type": "integer"}}, "required": ["guests"]}"#;
    let server = Server::new(|asked| {
        let first = asked.split("guests=").nth(1).and_then(|rest| rest.chars().next());
        let number = first.and_then(|first| first.to_digit(10));
        Response::Reply(
            number.map_or_else(|| "none".to_owned(), |guests| json!({"guests": guests}).to_string()),
        )
    });
    let place = Place::new();
    place.write("s.json", schema);
    place.write("a.txt", "At first: guests=3.\n\nIt rained a little.\n\nIn the end: guests=4.\n");
    let words = ["-s", "s.json", "a.txt", "-p", "Guests?", "--chunk-chars", "24", "--accept-gaps"];
    let words = [&words[..], &server.options()].concat();
    let run = |out: &str| place.run(&[&["run", "-o", out], &words[..]].concat()).code(0);
    run("out.jsonl").says("1 document: 1 done, 1 of them in part, 1 with conflicts between chunks");
    let line = &lines(&place.text("out.jsonl"))[0];
    assert_eq!((&line["status"], &line["value"]), (&json!("in_part"), &json!({"guests": 3})));
    let conflict = &line["conflicts"][0];
    assert_eq!((&conflict["path"], &conflict["others"][0]["value"]), (&json!("$.guests"), &json!(4)));
    assert_eq!(
        (&line["gaps"][0]["chunk"], &line["gaps"][0]["error"]),
        (&json!(1), &json!("MaxRetriesExceeded"))
    );
    let (conflict, gap) = ("! $.guests: 3 kept, from chunk 0; 4 in chunk 2", "✗ chunk 1 (bytes 21 to ");
    place.run(&["inspect", "out.jsonl"]).code(0).prints("1 in conflict");
    place.run(&["inspect", "out.jsonl", "a.txt"]).code(0).prints(conflict).prints(gap);
    place.run(&[&["extract"], &words[..]].concat()).code(0).says(conflict).says(gap);
    let table = place.run(&["export", "out.jsonl", "--as", "csv"]).code(0).out;
    assert!(table.starts_with("key,status,error,conflicts,gaps,guests\na.txt,in_part,,\"[{"), "{table}");
    // A person has decided.
    let reviewed = json!({"key": "a.txt", "value": {"guests": 4}, "checked_by": "ann"});
    place.write("out.jsonl.gold.jsonl", format!("{reviewed}\n"));
    let table = place.run(&["export", "out.jsonl", "--as", "csv"]).code(0).out;
    assert_eq!(table, "key,status,error,reviewed_by,guests\na.txt,done,,ann,4\n");
}

#[test]
fn a_long_text_is_asked_about_in_chunks_and_is_one_document() {
    let schema = r#"{"type": "array", "items": {"type": "string"}}"#;
    let server = Server::new(|asked| {
        let names = ["Ada", "Grace"].into_iter().filter(|name| asked.contains(&format!("{name} came")));
        Response::Reply(json!(names.collect::<Vec<_>>()).to_string())
    });
    let place = Place::new();
    place.write("s.json", schema);
    place.write("a.txt", "Ada came in the morning.\n\nIt rained for a while.\n\nGrace came at noon.\n");
    let job = ["run", "-s", "s.json", "a.txt", "-p", "Who?", "-o", "out.jsonl", "--chunk-chars", "30"];
    place.run(&[&job[..], &server.options()].concat()).code(0).says("1 document");
    assert_eq!(server.asked().len(), 3);
    assert_eq!(lines(&place.text("out.jsonl"))[0]["value"], json!(["Ada", "Grace"]));
}
