//! `extractable view`.

use std::fs;

use crate::{
    job::{place, right_but_for, run},
    program::Place,
};

#[test]
fn a_document_is_shown_with_its_values() {
    let place = Place::new();
    place.write("note.txt", "Aspirin <5 mg> for fever.");
    let value = r#"{"drug": "aspirin", "mg": 5}"#;
    let page = place.pipe(value, &["view", "document", "note.txt"]).code(0).out;
    assert!(page.starts_with("<!doctype html>") && page.contains("<title>note.txt</title>"), "{page}");
    assert!(page.contains(">Aspirin</a> &lt;<a"), "{page}");
    let plain = place.pipe(value, &["view", "document", "note.txt", "--quotes-only"]).code(0).out;
    assert!(plain.contains("Aspirin &lt;5 mg&gt; for fever."), "{plain}");
}

#[test]
fn a_page_goes_into_a_file() {
    let place = Place::new();
    place.write("note.txt", "Aspirin");
    place.write("line.jsonl", r#"{"key": "note.txt", "value": ["Aspirin"]}"#);
    let view = [
        "view",
        "document",
        "note.txt",
        "line.jsonl",
        "--at",
        "/value",
        "-o",
        "page.html",
        "--title",
        "T & U",
    ];
    let ended = place.run(&view).code(0);
    assert_eq!(ended.out, "");
    assert!(place.text("page.html").contains("<title>T &amp; U</title>"));
    place
        .run(&["view", "document", "note.txt", "line.jsonl", "--at", "/no"])
        .code(2)
        .says("has nothing at `/no`");
    place
        .run(&["view", "document", "note.txt", "line.jsonl", "-o", "no/page.html"])
        .code(5)
        .says("`no/page.html`");
}

#[test]
fn the_result_of_the_document_is_found_among_others() {
    let place = Place::new();
    place.write("notes/a.txt", "Aspirin");
    place.write("notes/b.txt", "Ibuprofen");
    let lines = [
        r#"{"key":"notes/b.txt","status":"done","value":["Ibuprofen"]}"#,
        r#"{"key":"notes/a.txt","status":"done","value":["Aspirin"]}"#,
        r#"{"key":"notes/c.txt","status":"failed","error":{"name":"Refused","message":"it refuses"}}"#,
    ];
    place.write("out.jsonl", lines.map(|line| format!("{line}\n")).concat());
    place.write("out.json", format!("[\n{}\n]\n", lines.join(",\n")));
    place.write("notes/c.txt", "x");
    place.write("notes/d.txt", "x");
    let view = |document: &str, more: &[&str]| place.run(&[&["view", "document", document], more].concat());
    for results in ["out.jsonl", "out.json"] {
        for document in ["notes/a.txt", "./notes/../notes/a.txt"] {
            let page = view(document, &[results]).code(0).out;
            assert!(page.contains(">Aspirin</a>") && !page.contains("Ibuprofen"), "{page}");
        }
        view("notes/c.txt", &[results]).code(2).says("no value of the document `notes/c.txt`: it refuses");
        let ended = view("notes/d.txt", &[results]).code(2);
        ended.says("no result of the document `notes/d.txt`").says("there is `notes/b.txt`, `notes/a.txt`");
    }
    let page = view("notes/a.txt", &["out.jsonl", "--at", "/key"]).code(0).out;
    assert!(page.contains("notes/a.txt") && !page.contains(">Aspirin</a>"), "{page}");
    // A list is a value like any other, and so is one result.
    let page = place.pipe("[{\"key\": \"Aspirin\"}]", &["view", "document", "notes/a.txt"]).code(0).out;
    assert!(page.contains(">Aspirin</a>"), "{page}");
    for (values, says) in [
        ("1\n2\n3\n", "`stdin` has 3 values, and none says which document it is about"),
        ("", "the value `stdin` is empty"),
        ("{} {", "the value `stdin` is not JSON"),
        ("key,status,error\n", "`extractable export JOB`"),
    ] {
        place.pipe(values, &["view", "document", "notes/a.txt"]).code(2).says(says);
    }
}

#[test]
fn facts_stand_in_the_header() {
    let place = Place::new();
    place.write("note.txt", "Aspirin");
    let view = ["view", "document", "note.txt", "--about", "type=<Note>", "--about", "date=2026-03-05"];
    let page = place.pipe(r#"["Aspirin"]"#, &view).code(0).out;
    assert!(page.contains("<dt>type<dd><bdi>&lt;Note&gt;</bdi>"), "{page}");
    assert!(page.contains("<dt>date<dd><bdi>2026-03-05</bdi>"), "{page}");
    place.pipe("1", &["view", "document", "note.txt", "--about", "type"]).code(2).says("type=Invoice");
}

/// The names in a folder of pages, in order.
fn names(place: &Place, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(place.path(folder)).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_job_with_its_documents_is_a_folder_of_pages_that_are_linked() {
    let place = place();
    // A key that would leave the folder, and run a script.
    let messages = place.text("messages.jsonl").replace("restaurant8k/227\"", "../<script>'&/227\"");
    place.write("messages.jsonl", &messages);
    run(&place, &right_but_for("18 days"), &["-o", "out.jsonl"]).code(1);
    let view = ["view", "job", "out.jsonl", "messages.jsonl", "--key", "id", "-o", "report"];
    place.run(&view).code(0);

    assert_eq!(names(&place, "report"), ["documents", "index.html"]);
    let files = names(&place, "report/documents");
    assert_eq!(files.len(), 12, "{files:?}");
    let index = place.text("report/index.html");
    assert!(!index.contains("<script"), "{index}");
    for file in &files {
        assert!(index.contains(&format!("href=\"documents/{file}\"")), "{file} is not in {index}");
        assert!(file.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte)), "{file}");
    }
    let hostile = files.iter().find(|file| file.starts_with("script-227-")).unwrap();
    let page = place.text(&format!("report/documents/{hostile}"));
    assert!(page.contains("<title>../&lt;script&gt;&#39;&amp;/227</title>"), "{page}");
    assert!(page.contains("17th of October</a>") && page.contains("<dt>outcome<dd><bdi>done"), "{page}");
    let failed = files.iter().find(|file| file.contains("-2944-")).unwrap();
    let page = place.text(&format!("report/documents/{failed}"));
    assert!(page.contains("<section id=violations>") && page.contains("[WRONG_TYPE] $.people"), "{page}");
    assert!(page.contains("<dt>reason<dd><bdi>MaxRetriesExceeded"), "{page}");

    // Again, to the same names; pages of others stay.
    place.run(&view).code(0);
    assert_eq!(names(&place, "report/documents"), files);
    place.write("report/index.html", "mine");
    place.run(&view).code(2).says("did not write it");
    assert_eq!(place.text("report/index.html"), "mine");
    place.run(&[&view[..], &["--overwrite"]].concat()).code(0);
    assert_eq!(place.text("report/index.html"), index);
}

#[test]
fn a_folder_of_pages_needs_a_name_of_its_own() {
    let place = place();
    run(&place, &right_but_for("18 days"), &["-o", "out.jsonl"]).code(1);
    let view = ["view", "job", "out.jsonl", "messages.jsonl", "--key", "id"];
    for out in [&[][..], &["-o", "-"], &["-o", "report.html"]] {
        place.run(&[&view[..], out].concat()).code(2).says("`-o report`");
    }
    place.run(&[&view[..], &["-o", "no/report"]].concat()).code(5).says("`no/report`");
    // A report alone stays one file, without links.
    let page = place.run(&["view", "job", "out.jsonl"]).code(0).out;
    assert!(!page.contains("documents/") && page.contains("<section id=failed>"), "{page}");
}
