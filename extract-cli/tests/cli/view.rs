//! `extractable view`.

use crate::program::Place;

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
