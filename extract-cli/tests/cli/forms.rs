//! The forms of results.

use serde_json::{Value, json};

use crate::{
    job::{lines, place as messages, right_but_for, run},
    program::{Ended, Place},
};

const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "status": {"type": "string"},
        "seller": {"type": "object", "properties": {"name": {"type": "string"}, "city": {"type": "string"}}},
        "tags": {"type": "array", "items": {"type": "string"}}
    }
}"#;

const VALUE: &str =
    r#"{"status": "paid", "seller": {"name": "A|B, \"C\"\nD"}, "tags": ["x", "y"], "more": {"n": 1}}"#;

/// A folder in which a program finds the same value in two letters.
fn place() -> Place {
    let place = Place::new();
    place.write("deal.json", SCHEMA);
    place.write("reply", VALUE);
    place.write("rows.jsonl", "{\"id\": \"one\", \"text\": \"a\", \"from\": \"Ann\"}\n{\"id\": \"two\", \"text\": \"b\", \"from\": null}\n");
    place
}

fn deal(place: &Place, out: &str) -> Ended {
    let model = "sh -c 'cat > /dev/null; cat reply'";
    let job =
        ["run", "-s", "deal.json", "--command", model, "-q", "rows.jsonl", "--key", "id", "--meta", "from"];
    place.run(&[&job[..], &["-o", out, "--journal", "j"]].concat())
}

#[test]
fn the_ending_says_the_form() {
    let place = place();
    for out in ["out.jsonl", "out.ndjson", "out", "out.json", "out.csv", "out.md", "out.MARKDOWN"] {
        for _ in 0..2 {
            deal(&place, out).code(0);
            place.run(&["export", "j", "-s", "deal.json", "-o", &format!("again-{out}")]).code(0);
        }
        assert_eq!(place.text(out), place.text(&format!("again-{out}")), "{out}");
    }
    let all = lines(&place.text("out.jsonl"));
    assert_eq!(
        (place.text("out.ndjson"), place.text("out")),
        (place.text("out.jsonl"), place.text("out.jsonl"))
    );
    assert_eq!(serde_json::from_str::<Vec<Value>>(&place.text("out.json")).unwrap(), all);
    assert_eq!(all[0]["meta"], json!({"from": "Ann"}));
    assert_eq!(
        place.text("out.csv"),
        "key,status,error,value.status,seller.name,seller.city,tags,more.n,meta.from\n\
         one,done,,paid,\"A|B, \"\"C\"\"\nD\",,\"[\"\"x\"\",\"\"y\"\"]\",1,Ann\n\
         two,done,,paid,\"A|B, \"\"C\"\"\nD\",,\"[\"\"x\"\",\"\"y\"\"]\",1,\n"
    );
    assert_eq!(
        place.text("out.md"),
        "| key | status | error | value.status | seller.name | seller.city | tags | more.n | meta.from |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n\
         | one | done |  | paid | A\\|B, \"C\"<br>D |  | [\"x\",\"y\"] | 1 | Ann |\n\
         | two | done |  | paid | A\\|B, \"C\"<br>D |  | [\"x\",\"y\"] | 1 |  |\n"
    );
    assert_eq!(place.text("out.MARKDOWN"), place.text("out.md"));
}

#[test]
fn an_unknown_ending_is_an_error_that_lists_the_known_ones() {
    let place = place();
    deal(&place, "out.jsonl").code(0);
    for out in ["out.xlsx", "out.txt", "out.jsonl.gz"] {
        for ended in [deal(&place, out), place.run(&["export", "j", "-o", out])] {
            let ended = ended.code(2).says(&format!("`{out}` ends in ."));
            ended.says("the known endings are .jsonl, .json, .csv, .parquet and .md");
        }
        assert!(!place.path(out).exists());
    }
    // Said outright.
    place.run(&["export", "j", "--as", "csv", "-o", "out.txt"]).code(0);
    assert!(place.text("out.txt").starts_with("key,status,error,"));
}

#[test]
fn every_form_is_exported_to_the_standard_output() {
    let place = place();
    deal(&place, "out.jsonl").code(0);
    for (form, file) in
        [("jsonl", "x.jsonl"), ("results", "x.jsonl"), ("json", "x.json"), ("csv", "x.csv"), ("md", "x.md")]
    {
        place.run(&["export", "j", "-o", file]).code(0);
        assert_eq!(place.run(&["export", "j", "--as", form]).code(0).out, place.text(file), "{form}");
    }
    // Without a schema the values say the columns.
    assert!(
        place.text("x.csv").starts_with("key,status,error,value.status,seller.name,tags,more.n,meta.from\n")
    );
}

#[test]
fn the_confidence_is_in_every_form_of_the_lines() {
    let place = place();
    let model = "sh -c 'cat > /dev/null; cat reply'";
    let job = ["run", "-s", "deal.json", "--command", model, "-q", "rows.jsonl", "--key", "id"];
    place.run(&[&job[..], &["--confidence", "2", "-o", "out.json", "--journal", "j"]].concat()).code(0);
    let rows: Value = serde_json::from_str(&place.text("out.json")).unwrap();
    assert_eq!(rows[0]["confidence"]["/status"], 1.0);
    let lines = place.run(&["export", "j"]).code(0).out;
    assert_eq!(serde_json::from_str::<Value>(lines.lines().next().unwrap()).unwrap(), rows[0]);
}

#[test]
fn a_table_is_never_written_over_what_is_not_one() {
    let place = place();
    for out in ["out.json", "out.csv", "out.md"] {
        place.write(out, "[\n1\n]\n");
        deal(&place, out).code(2).says("this program did not write it");
        assert_eq!(place.text(out), "[\n1\n]\n");
        std::fs::create_dir_all(place.path("folder.csv")).unwrap();
    }
    deal(&place, "folder.csv").code(2).says("a folder");
    let files = std::fs::read_dir(place.path("")).unwrap().map(|file| file.unwrap().path());
    let left: Vec<_> = files.filter(|path| path.extension().is_some_and(|ending| ending == "tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_table_has_the_documents_without_an_answer_too() {
    let place = messages();
    let ended = run(&place, &right_but_for("18 days"), &["-o", "out.csv"]).code(1);
    ended.says("`extractable inspect out.csv.journal --failed` says why");
    let table = place.text("out.csv");
    assert!(table.contains("restaurant8k/2944,failed,\"no acceptable answer"), "{table}");
    place.run(&["inspect", "out.csv"]).code(0);
    // A job that stops has no results yet.
    run(&place, &right_but_for("18 days"), &["-o", "part.csv", "--token-budget", "300", "-n", "1"]).code(3);
    assert!(!place.path("part.csv").exists() && place.path("part.csv.journal").exists());
}

#[test]
fn values_that_are_no_objects_have_one_column() {
    let place = place();
    place.write("deal.json", r#"{"type": "array", "items": {"type": "integer"}}"#);
    place.write("reply", "[1, 2]");
    deal(&place, "out.csv").code(0);
    assert!(place.text("out.csv").starts_with("key,status,error,value,meta.from\none,done,,\"[1,2]\",Ann\n"));
}
