//! `extractable inspect`, `export` and the report of a job.

use serde_json::json;

use crate::{
    job::{lines, place, right_but_for, run},
    program::Place,
    server::{Response, Server},
};

/// A job of which one document failed.
fn ran() -> Place {
    let place = place();
    run(&place, &right_but_for("18 days"), &["-o", "out.jsonl"]).code(1);
    place
}

#[test]
fn a_journal_says_what_became_of_the_job() {
    let place = ran();
    let ended = place.run(&["inspect", "out.jsonl.journal"]).code(0);
    assert!(ended.out.contains("11 done") && ended.out.contains("1 MaxRetriesExceeded"), "{}", ended.out);
    let summary = place.run(&["inspect", "out.jsonl", "--json"]).code(0).json();
    assert_eq!((&summary["done"], &summary["failed"], &summary["runs"]), (&json!(11), &json!(1), &json!(1)));
    let letters = lines(&place.run(&["inspect", "out.jsonl", "--failed", "--json"]).code(0).out);
    assert_eq!((letters.len(), letters[0]["failure"]["history"].as_array().unwrap().len()), (1, 3));
}

#[test]
fn one_document_is_shown_with_its_story() {
    let place = ran();
    let good = place.run(&["inspect", "out.jsonl", "restaurant8k/227"]).code(0).out;
    assert!(good.contains("1 attempt") && good.contains("\"date\": \"17th of October\""), "{good}");
    let bad = place.run(&["inspect", "out.jsonl", "restaurant8k/2944"]).code(0).out;
    assert!(bad.contains("attempt 3 of openai/scripted: {\"people\": {"), "{bad}");
    assert!(bad.contains("[WRONG_TYPE] $.people"), "{bad}");
    place.run(&["inspect", "out.jsonl", "none"]).code(1).says("the journal has no document `none`");
}

#[test]
fn a_reply_cannot_move_the_cursor() {
    let place = place();
    let server = Server::new(|_| Response::Reply("\u{1b}[2Jno\u{9b}".to_owned()));
    run(&place, &server, &["-o", "out.jsonl", "--max-attempts", "1"]).code(1);
    for args in [&["inspect", "out.jsonl", "--failed"][..], &["inspect", "out.jsonl", "restaurant8k/227"]] {
        let ended = place.run(args).code(0);
        assert!(ended.out.contains("no") && !ended.out.contains(['\u{1b}', '\u{9b}']), "{}", ended.out);
    }
}

#[test]
fn what_is_no_journal_is_told() {
    let place = ran();
    place.run(&["inspect", "none.jsonl"]).code(2).says("none.jsonl");
    place.run(&["inspect", "messages.jsonl"]).code(2).says("this is another file");
}

#[test]
fn results_are_exported_as_they_were_written() {
    let place = ran();
    let out = place.text("out.jsonl");
    assert_eq!(place.run(&["export", "out.jsonl"]).code(0).out, out);
    place.run(&["export", "out.jsonl", "-o", "again.jsonl"]).code(0);
    assert_eq!(place.text("again.jsonl"), out);
    let all = lines(&place.run(&["export", "out.jsonl", "--as", "everything"]).code(0).out);
    assert!(all.len() == 12 && all.iter().any(|line| line.to_string().contains("raw_output")), "{all:?}");
    place
        .run(&["export", "out.jsonl", "--as", "csv", "-o", "no/x.csv"])
        .code(5)
        .says("`no/x.csv` cannot be written");
}

#[test]
fn a_table_has_a_column_for_each_key() {
    let table = ran().run(&["export", "out.jsonl", "--as", "csv"]).code(0).out;
    let rows: Vec<_> = table.lines().take(3).collect();
    assert_eq!(rows[0], "key,status,error,people,date,time,first_name,last_name");
    assert_eq!(rows[1], "restaurant8k/227,done,,,17th of October,,,");
    assert!(rows[2].starts_with("restaurant8k/2944,failed,\"no acceptable answer"), "{}", rows[2]);
}

#[test]
fn the_report_is_one_page_that_loads_nothing() {
    let place = ran();
    place.run(&["view", "job", "out.jsonl", "-o", "report.html", "--title", "Bookings"]).code(0);
    let page = place.text("report.html");
    assert!(page.starts_with("<!doctype html>") && page.contains("<title>Bookings</title>"));
    assert!(page.contains("default-src 'none'") && !page.contains("<script") && !page.contains("style="));
    for part in [
        "<dt>documents<dd>12</div>",
        "<dt>failed<dd>1</div>",
        "<tr><th scope=row class=j>$.people<td class=k>WRONG_TYPE<td class=n data-l=Times>3",
        "<td>MaxRetriesExceeded<td class=n>1",
        "<span class=j>restaurant8k/2944</span>",
        "<th scope=row>scripted<td>openai/scripted<td class=n data-l=Replies>14<td class=n data-l=\"Tokens in\">1400",
        "<h2>Slowest documents</h2>",
    ] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    assert!(page.contains("&#34;&lt;b&gt;&#34;") && !page.contains("<b>"), "what a model wrote is text");
}
