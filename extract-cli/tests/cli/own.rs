//! Files of this program are no documents.

use crate::{
    job::lines,
    program::{Ended, GOOD, Place},
};

const MODEL: &str = "sh -c 'cat > /dev/null; cat \"$0\"' \"$PWD/reply\"";

fn place() -> Place {
    let place = Place::new();
    place.write("answer/reply", GOOD);
    place.write("docs/a.txt", "Invoice INV-3107");
    place.write("docs/deep/b.txt", "Invoice INV-3108");
    place
}

fn run(place: &Place, words: &[&str]) -> Ended {
    let model = MODEL.replace("$PWD/reply", &place.path("answer/reply").display().to_string());
    place.run(&[&["run", "-s", "invoice.json", "--command", &model], words].concat())
}

#[test]
fn a_second_run_over_a_folder_reads_the_same_documents() {
    let place = place();
    for out in ["jsonl", "json", "csv", "md", "parquet"].map(|ending| format!("docs/deep/out.{ending}")) {
        run(&place, &["docs", "-o", &out]).code(0).says("2 documents: 2 done");
        let first = std::fs::read(place.path(&out)).unwrap();
        for inputs in [
            &["docs"][..],
            &["docs/**/*"],
            &["docs/a.txt", "docs/deep/b.txt", &out, &format!("{out}.journal")],
        ] {
            let ended = run(&place, &[inputs, &["-o", &out]].concat()).code(0);
            ended.says("2 documents: 2 done, 2 known before").says("of this program, and no documents");
        }
        assert_eq!(std::fs::read(place.path(&out)).unwrap(), first, "{out}");
    }
    place.run(&["export", "docs/deep/out.jsonl", "--as", "everything", "-o", "docs/all"]).code(0);
    place.run(&["view", "job", "docs/deep/out.jsonl", "-o", "docs/page.html"]).code(0);
    place.write("docs/values", format!("{{\"status\":\"done\",\"value\":{GOOD}}}\n"));
    place.write("docs/out.jsonl.4711.0.tmp", "{\"key\":\"a");
    let ended = run(&place, &["docs", "-o", "elsewhere.jsonl"]).code(0);
    ended.says("2 documents: 2 done").says("and 10 more hold results or journals of this program");
    let quiet = run(&place, &["docs", "-o", "elsewhere.jsonl", "-q"]).code(0);
    assert_eq!(quiet.err, "");
}

#[test]
fn a_folder_of_nothing_else_has_no_documents() {
    let place = place();
    run(&place, &["docs", "-o", "results/out.jsonl", "--journal", "j"]).code(5);
    std::fs::create_dir(place.path("results")).unwrap();
    run(&place, &["docs", "-o", "results/out.jsonl"]).code(0);
    for input in ["results", "results/*", "results/out.jsonl", "results/out.jsonl.journal"] {
        run(&place, &[input, "-o", "again.jsonl"])
            .code(2)
            .says("of this program, and no documents")
            .says("--text");
    }
    assert!(!place.path("again.jsonl").exists());
}

#[test]
fn results_are_documents_where_the_user_says_which_part_of_them() {
    let place = place();
    run(&place, &["docs", "-o", "out.jsonl"]).code(0);
    let again = ["out.jsonl", "--text", "/value/number", "--key", "key", "-o", "again.jsonl"];
    run(&place, &again).code(0).says("2 documents: 2 done");
    assert_eq!(lines(&place.text("again.jsonl"))[1]["key"], "docs/deep/b.txt");
    run(&place, &["out.jsonl", "--text", "/value/number", "-o", "out.jsonl"])
        .code(2)
        .says("where the results");
}

#[test]
fn files_that_only_look_alike_are_documents() {
    let place = place();
    for (name, text) in [
        ("docs/k.txt", "{\"key\":\"a\",\"status\":\"open\"}"),
        ("docs/page.html", "<!doctype html>\n<html lang=en>\n<p>x"),
        ("docs/t.txt", "key,status"),
        ("docs/x.owner", "Ann"),
    ] {
        place.write(name, text);
    }
    let ended = run(&place, &["docs", "-o", "out.jsonl"]).code(0).says("6 documents: 6 done");
    assert!(!ended.err.contains("no documents"), "{ended:?}");
}
