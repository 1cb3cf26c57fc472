//! `extractable extract`.

use serde_json::{Value, json};

use crate::{
    program::{Ended, GOOD, Place},
    server::{Response, Server},
};

fn with<'a>(server: &'a Server, args: &[&'a str]) -> Vec<&'a str> {
    [&["extract", "-s", "invoice.json"], &server.options()[..], args].concat()
}

#[test]
fn a_provider_is_asked_about_the_text() {
    let (place, server) = (Place::new(), Server::replying(GOOD));
    place.write("letter.txt", "Invoice INV-3107, 1064.40 EUR");
    let ended =
        place.run(&with(&server, &["letter.txt", "-p", "What is due?", "--temperature", "0.5"])).code(0);
    assert_eq!(ended.json(), serde_json::from_str::<Value>(GOOD).unwrap());
    let asked = server.asked();
    assert_eq!((asked.len(), &asked[0]["temperature"]), (1, &json!(0.5)));
    let text = asked[0].to_string();
    assert!(text.contains("What is due?") && text.contains("Invoice INV-3107, 1064.40 EUR"), "{text}");
    ended.says("1 attempt").says("100 tokens in, 20 out");
}

#[test]
fn violations_are_sent_back_and_told() {
    let place = Place::new();
    let server = Server::new(|asked| {
        let is_second = asked.contains("Attempt 2 of 3");
        Response::Reply(if is_second { GOOD.to_owned() } else { GOOD.replace("EUR", "Euro") })
    });
    let ended = place.pipe("a letter", &with(&server, &[])).code(0);
    ended.says("attempt 1 was not accepted:").says("did you mean \"EUR\"?").says("2 attempts");
    let report = place.pipe("a letter", &with(&server, &["--json"])).code(0).json();
    assert_eq!((&report["metrics"]["attempts"], &report["value"]["currency"]), (&json!(2), &json!("EUR")));
}

#[test]
fn what_other_chunks_have_is_not_lost_with_an_agent_that_fails() {
    let place = Place::new();
    let server = Server::new(|asked| {
        if asked.contains("INV-3107") { Response::Reply(GOOD.to_owned()) } else { Response::Status(401) }
    });
    let text = "Invoice INV-3107 over 1064.40 EUR.\n\nPlease pay before the end of the month.";
    let in_chunks = with(&server, &["--chunk-chars", "40", "--json"]);
    let report = place.pipe(text, &in_chunks).code(4).json();
    assert_eq!(
        (&report["error"]["name"], &report["found"]["number"]),
        (&json!("Incomplete"), &json!("INV-3107"))
    );
    place.pipe(text, &with(&server, &["--chunk-chars", "40"])).code(4).says("key");
}

#[test]
fn confidence_is_measured_by_several_answers() {
    let (place, server) = (Place::new(), Server::replying(GOOD));
    let report = place.pipe("a letter", &with(&server, &["--confidence", "3", "--json"])).code(0).json();
    let leaves = report["metrics"]["confidences"]["leaves"].as_array().unwrap();
    assert!(leaves.iter().all(|leaf| leaf["confidence"] == 1.0 && leaf["evidence"]["agreement"] == 1.0));
    assert_eq!((server.asked().len(), &report["metrics"]["attempts"]), (3, &json!(3)));
    let ended = place.pipe("a letter", &with(&server, &["--confidence", "2"])).code(0);
    ended.says("confidence 1.00 $.").says("(agreement)");
    for wrong in ["1", "33", "some"] {
        let ended = place.pipe("a letter", &with(&server, &["--confidence", wrong])).code(2);
        ended.says("a number of answers from 2 to 32");
    }
    let below = ["--confidence", "auto", "--escalate-below", "0.9"];
    place.pipe("a letter", &with(&server, &below)).code(2).says("--then <AGENT>");
    place.write("c.json", "{}");
    let calibration = ["--confidence", "auto", "--calibration", "c.json"];
    place
        .pipe("a letter", &with(&server, &calibration))
        .code(2)
        .says("`c.json` cannot be read: missing field");
}

#[test]
fn an_answer_that_never_conforms_is_a_failure_with_its_story() {
    let (place, server) = (Place::new(), Server::replying("I do not know."));
    let ended = place.pipe("a letter", &with(&server, &["--max-attempts", "2", "--json"])).code(1);
    let report = ended.json();
    assert_eq!(report["error"]["name"], "MaxRetriesExceeded");
    assert_eq!(report["history"].as_array().unwrap().len(), 2);
    let plain = place.pipe("a letter", &with(&server, &["--max-attempts", "2"])).code(1);
    assert_eq!(plain.out, "");
    plain.says("error: no acceptable answer after 2 of 2 attempts");
}

#[test]
fn an_agent_that_refuses_has_an_exit_code_of_its_own() {
    let (place, server) = (Place::new(), Server::new(|_| Response::Status(401)));
    place
        .pipe("a letter", &with(&server, &[]))
        .code(4)
        .says("is the key of its provider in the environment, or in the file of `--env-file`?");
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_variable_that_names_no_proxy_is_not_passed_by() {
    let (place, server) = (Place::new(), Server::replying(GOOD));
    place.write("a.txt", "a letter");
    let with_proxy = |name: &str, value: &str, exempt: &str| {
        let mut command = place.command(&with(&server, &["a.txt"]));
        Ended::of(command.env(name, value).env("NO_PROXY", exempt).spawn().unwrap())
    };
    for (name, value) in [("HTTP_PROXY", "proxy with spaces"), ("ALL_PROXY", "ftp://proxy:21")] {
        with_proxy(name, value, "").code(4).says("has no address of a proxy");
        assert_eq!(server.asked().len(), 0);
    }
    with_proxy("HTTP_PROXY", "proxy with spaces", "127.0.0.1").code(0);
    with_proxy("HTTPS_PROXY", "proxy with spaces", "").code(0);
    with_proxy("HTTP_PROXY", "", "").code(0);
}

#[test]
fn an_image_is_given_as_it_is() {
    let (place, server) = (Place::new(), Server::replying(GOOD));
    place.write("scan.png", [0x89, b'P', b'N', b'G']);
    place.run(&with(&server, &["scan.png"])).code(0);
    let text = server.asked()[0].to_string();
    assert!(text.contains("data:image/png;base64,iVBORw=="), "{text}");
}

#[test]
fn nobody_to_ask_is_a_mistake_of_usage() {
    let place = Place::new();
    let extract = |args: &[&str]| place.pipe("x", &[&["extract", "-s", "invoice.json"], args].concat());
    extract(&[]).code(2).says("give `--agent provider/model`");
    extract(&["--agent", "opnai/gpt"])
        .code(2)
        .says("unknown provider `opnai`")
        .says("did you mean `openai/gpt`?");
    let ended = extract(&["--agent", "openai/gpt", "--base-url", "localhost"]).code(2).says("`http://`");
    assert!(!ended.err.contains("help: "), "its message says it all: {}", ended.err);
    extract(&["--command", "echo 'a"]).code(2).says("a quote that does not end");
    extract(&["--agent", "openai/gpt", "--command", "echo"]).code(2).says("cannot be used with");
    for (bare, named) in [
        ("gpt-4o-mini", "such as `openai/gpt-4o-mini`;"),
        ("gpt-5-mini", "such as `openai/gpt-5-mini`;"),
        ("claude-haiku-5-5", "such as `anthropic/claude-haiku-5-5`;"),
        ("grok-5", "such as `xai/grok-5`;"),
        ("mine:7b", "such as `openai/mine:7b` or `ollama/mine:7b`;"),
    ] {
        for server in [&[][..], &["--base-url", "http://127.0.0.1:1/v1"]] {
            let ended = extract(&[&["--agent", bare], server].concat()).code(2);
            ended.says(&format!("`--agent {bare}` names no provider")).says(named).says("groq, ");
        }
        let mut command = place.command(&["extract", "-s", "invoice.json", "invoice.json"]);
        let ended = Ended::of(command.env("EXTRACT_AGENT", bare).spawn().unwrap()).code(2);
        ended.says(&format!("`EXTRACT_AGENT {bare}` names no provider")).says(named);
    }
    #[cfg(not(feature = "local"))]
    extract(&["--local"]).code(2).says(
        "cargo install --git https://github.com/extractable-rs/extractable extractable-cli --features local",
    );
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    let place = Place::new();
    let wrong = [
        ("--temperature", "nan"),
        ("--temperature", "inf"),
        ("--temperature=-1", ""),
        ("--chunk-chars", "0"),
        ("--command-timeout", "0"),
        ("--timeout", "0"),
    ];
    for (option, value) in wrong {
        let words = ["extract", "-s", "invoice.json", "--command", "cat", "invoice.json", option, value];
        let words = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
        place.run(&words).code(2).says("invalid value");
    }
    let below = ["--confidence", "2", "--then", "command:cat", "--escalate-below", "2"];
    let words = [&["extract", "-s", "invoice.json", "--command", "cat", "invoice.json"], &below[..]].concat();
    place.run(&words).code(2).says("it is a number from 0 to 1");
}

#[test]
fn one_document_is_one() {
    let (place, server) = (Place::new(), Server::replying(GOOD));
    place.write("docs/a.txt", "a");
    place.write("docs/b.txt", "b");
    place.write("docs/.hidden", "c");
    place.run(&with(&server, &["docs"])).code(2).says("`extractable run` takes many");
    place.run(&with(&server, &["docs/*.md"])).code(2).says("no file matches the pattern `docs/*.md`");
    place.run(&with(&server, &["docs/c.txt"])).code(2).says("the file or folder `docs/c.txt` is missing");
    place.write("t.parquet", "PAR1");
    place.run(&with(&server, &["t.parquet"])).code(2).says("t.parquet");
    assert!(server.asked().is_empty(), "found out before anybody is asked");
    place.pipe(" \n", &with(&server, &[])).code(2).says("stdin: nothing came in");
    assert!(server.asked().is_empty());
    place.run(&with(&server, &["docs/a*"])).code(0);
}

#[cfg(unix)]
mod programs {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// A script that keeps what it is asked.
    fn script(place: &Place, body: &str) {
        place.write("bot", format!("#!/bin/sh\n{body}\n"));
        std::fs::set_permissions(place.path("bot"), std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_program_is_an_agent() {
        let place = Place::new();
        script(&place, &format!("cat > asked; echo \"$1\" > word; echo '{GOOD}'"));
        let extract = ["extract", "-s", "invoice.json", "--command", "./bot 'two words'"];
        place.pipe("a letter", &extract).code(0);
        assert!(place.text("asked").contains("a letter"));
        assert_eq!(place.text("word"), "two words\n");
        let ended = place.pipe("a letter", &[&extract[..], &["--thinking", "low"]].concat()).code(0);
        ended.says("sets no thinking level, so `low` may have no effect");
    }

    #[test]
    fn an_agent_is_named_in_the_same_way_by_every_option() {
        let place = Place::new();
        script(&place, &format!("cat > asked; echo '{GOOD}'"));
        let extract = ["extract", "-s", "invoice.json"];
        let as_option = [&extract[..], &["--agent", "command:./bot"]].concat();
        place.pipe("a letter", &as_option).code(0);
        let ended =
            place.pipe("a", &[&as_option[..], &["--base-url", "http://127.0.0.1:1"]].concat()).code(2);
        ended.says("`--agent command:./bot` has no server");
        let mut command = place.command(&[&extract[..], &["invoice.json"]].concat());
        Ended::of(command.env("EXTRACT_AGENT", "command:./bot").spawn().unwrap()).code(0);
        place.write("a.png", "x");
        let ended = place.run(&[&as_option[..], &["a.png"]].concat()).code(2);
        ended.says("`--agent command:./bot` takes text only");
        let batch =
            ["run", "-s", "invoice.json", "invoice.json", "--agent", "command:./bot", "-o", "o", "--batch"];
        place.run(&batch).code(2).says("batches are for models of providers");
        #[cfg(not(feature = "local"))]
        place
            .pipe("x", &[&extract[..], &["--agent", "local:0.5b"]].concat())
            .code(2)
            .says("--features local");
    }

    #[test]
    fn another_argument_of_a_program_is_another_agent() {
        let place = Place::new();
        script(&place, &format!("cat > asked; echo '{GOOD}'"));
        let run = |command: &str| {
            let job = ["run", "-s", "invoice.json", "invoice.json", "-o", "out.jsonl", "--command", command];
            place.run(&job).code(0)
        };
        run("./bot small").says("1 request");
        run("./bot small").says("0 requests");
        run("./bot large").says("1 changed since and asked again; 1 request");
    }

    #[test]
    fn a_program_that_is_not_there_cannot_be_asked() {
        let place = Place::new();
        place.pipe("x", &["extract", "-s", "invoice.json", "-c", "./none"]).code(4).says("`./none`");
    }
}
