//! Reviewed values in the results of a job.

use crate::{
    job::{args, lines, place, right_but_for, rows, run},
    program::{GOOD, Place},
    server::Server,
};

/// A job of which one document failed, and a gold set beside it with another value for two.
fn reviewed(server: &Server) -> (Place, [String; 2]) {
    let place = place();
    run(&place, server, &["-o", "out.jsonl"]).code(1);
    let results = lines(&place.text("out.jsonl"));
    let failed = results.iter().find(|line| line["status"] == "failed").unwrap();
    let done = results.iter().find(|line| line["status"] == "done").unwrap();
    let keys = [failed, done].map(|line| line["key"].as_str().unwrap().to_owned());
    let gold = keys.iter().map(|key| {
        let row = rows().into_iter().find(|row| row["id"] == **key).unwrap();
        format!(
            "{}\n",
            serde_json::json!({"key": key, "text": row["text"], "value": row["gold"], "checked_by": "ann"})
        )
    });
    place.write("out.jsonl.gold.jsonl", gold.collect::<String>());
    (place, keys)
}

#[test]
fn reviewed_values_win_in_every_form_and_are_marked() {
    let server = right_but_for("18 days");
    let (place, keys) = reviewed(&server);
    for form in ["jsonl", "everything"] {
        let exported = lines(&place.run(&["export", "out.jsonl", "--as", form]).code(0).out);
        let of = |key: &str| exported.iter().find(|line| line["key"] == *key).unwrap();
        for key in &keys {
            assert_eq!(
                (&of(key)["status"], &of(key)["reviewed_by"]),
                (&"done".into(), &"ann".into()),
                "{form}"
            );
            assert!(of(key).get("error").is_none(), "{form}");
        }
        assert_eq!(exported.iter().filter(|line| line.get("reviewed_by").is_some()).count(), 2, "{form}");
    }
    place.run(&["export", "out.jsonl", "-o", "table.csv"]).code(0);
    let table = place.text("table.csv");
    assert!(table.starts_with("key,status,error,reviewed_by,"), "{table}");
    assert_eq!(table.matches(",done,,ann,").count(), 2, "{table}");
    place.run(&["export", "out.jsonl", "--reviewed", "none.jsonl"]).code(2).says("there is no gold set");
    place.write("wrong.jsonl", "no JSON\n[1]\n");
    let ended = place.run(&["export", "out.jsonl", "--reviewed", "wrong.jsonl"]).code(2);
    ended.says("2 lines cannot be used:").says("line 1:").says("line 2:");
}

#[test]
fn a_reviewed_value_that_does_not_conform_or_belongs_to_no_document_is_named() {
    let server = right_but_for("18 days");
    let (place, keys) = reviewed(&server);
    let lines = ["{}", r#""of another job""#].map(|value| {
        let key = if value == "{}" { &*keys[1] } else { "none" };
        format!("{{\"key\": \"{key}\", \"text\": \"t\", \"value\": {value}}}\n")
    });
    place.write("gold.jsonl", lines.concat());
    place.write("right.json", r#"{"type": "object", "required": ["people"]}"#);
    let export = ["export", "out.jsonl", "--reviewed", "gold.jsonl"];
    let ended = place.run(&[&export[..], &["-s", "right.json"]].concat()).code(0);
    let ended = ended.says("`gold.jsonl`, line 1: the schema refuses the value: [MISSING_FIELD] $.people");
    ended.says("1 line of `gold.jsonl` left out: the job has no such document, as of line 2");
    let ended = place.run(&[&export[..], &["-s", "right.json", "--quiet"]].concat()).code(0);
    assert!(ended.err.is_empty(), "{}", ended.err);
    assert!(place.run(&["export", "out.jsonl"]).code(0).err.is_empty(), "its own decisions");
}

#[test]
fn reviewed_documents_are_not_asked_again() {
    let server = right_but_for("18 days");
    let (place, _) = reviewed(&server);
    let retried = place.run(&args("retry-failed", &server, &["-o", "out.jsonl", "--json"])).code(0).json();
    assert_eq!((&retried["calls"], &retried["failed"]), (&0.into(), &0.into()), "{retried}");
    let results = lines(&place.text("out.jsonl"));
    assert_eq!(results.iter().filter(|line| line["reviewed_by"] == "ann").count(), 2);
    // The journal keeps what was extracted.
    std::fs::remove_file(place.path("out.jsonl.gold.jsonl")).unwrap();
    let exported = lines(&place.run(&["export", "out.jsonl"]).code(0).out);
    assert_eq!(exported.iter().filter(|line| line["status"] == "failed").count(), 1);
}

#[test]
fn the_decisions_about_a_job_are_no_documents() {
    let (place, server) = (Place::new(), Server::replying(GOOD));
    place.write("docs/a.txt", "Invoice INV-3107");
    let job = ["run", "-s", "invoice.json", "docs", "-o", "docs/out.jsonl"];
    let run = || place.run(&[&job[..], &server.options()[..]].concat()).code(0);
    run();
    let line = format!(r#"{{"path": "a.txt", "value": {GOOD}}}"#);
    place.write("docs/out.jsonl.gold.jsonl", line);
    run().says("1 document: 1 done, 1 known before");
    assert_eq!(lines(&place.text("docs/out.jsonl"))[0]["reviewed_by"], "reviewer", "by its path");
}

#[test]
fn a_path_of_a_gold_set_is_the_same_file_for_every_command() {
    let (place, server) = (Place::new(), Server::replying(GOOD));
    place.write("gold/letters/a.txt", "Invoice INV-3107");
    place.write("gold/b.txt", "Invoice INV-3107");
    place.write("jobs/b.txt", "Another document of that name.");
    place.write("jobs/invoice.json", place.text("invoice.json"));
    let checked = GOOD.replace("3107", "0001");
    let line =
        |path: &str| format!("{{\"path\": \"{path}\", \"value\": {checked}, \"checked_by\": \"ann\"}}\n");
    place.write("gold/gold.jsonl", line("letters/a.txt") + &line("b.txt"));
    let in_jobs = |args: &[&str]| {
        let ended = place.command(args).current_dir(place.path("jobs")).output().unwrap();
        assert!(ended.status.success(), "{ended:?}");
        String::from_utf8(ended.stdout).unwrap()
    };
    let letters =
        ["../gold/letters", &*place.path("gold/b.txt").display().to_string(), "b.txt"].map(str::to_owned);
    let documents = letters.each_ref().map(String::as_str);
    let run = ["run", "-s", "invoice.json", "-o", "out.jsonl"];
    in_jobs(&[&run[..], &documents, &server.options()].concat());

    // As the reader of gold sets finds the texts of these paths.
    let gold = ["--gold", "../gold/gold.jsonl", "-s", "invoice.json"];
    in_jobs(&[&["eval"][..], &gold, &server.options()].concat());
    let exported = in_jobs(&["export", "out.jsonl", "--reviewed", "../gold/gold.jsonl"]);
    let reviewed: Vec<_> =
        lines(&exported).into_iter().map(|line| line.get("reviewed_by").cloned()).collect();
    assert_eq!(reviewed, [Some("ann".into()), Some("ann".into()), None], "{exported}");
}
