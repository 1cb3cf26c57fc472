//! `extractable calibrate`.

use serde_json::{Value, json};

use crate::{
    program::{GOOD, Place},
    server::{Response, Server},
};

/// Documents of which every second has another number, which its text does not show.
fn place(documents: usize) -> Place {
    let place = Place::new();
    let line = |number: usize| {
        let (text, right) = if number.is_multiple_of(2) { ("INV-3107", 3_107) } else { ("INV-none", number) };
        let value: Value = serde_json::from_str(&GOOD.replace("3107", &format!("{right:04}"))).unwrap();
        let line = json!({"key": number.to_string(), "text": format!("Invoice {text}"), "value": value});
        format!("{line}\n")
    };
    place.write("gold.jsonl", (0..documents).map(line).collect::<String>());
    place
}

fn with<'a>(server: &'a Server, args: &[&'a str]) -> Vec<&'a str> {
    let words = ["calibrate", "-s", "invoice.json", "--gold", "gold.jsonl", "-o", "calibration.json"];
    [&words[..], &server.options(), args].concat()
}

#[test]
fn a_calibration_is_fitted_that_extractions_read() {
    let (place, server) = (place(80), Server::replying(GOOD));
    let ended = place.run(&with(&server, &["--confidence", "2"])).code(0);
    assert!(
        ended.out.contains("80 documents, 0 without an answer, 240 values, 0.833 right"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("AUROC"), "{}", ended.out);
    assert_eq!(server.asked().len(), 160, "two samples each");
    place.write("a.txt", "Invoice INV-3107");
    place.write("b.txt", "Invoice INV-none");
    let confidence = |file: &str| {
        let words =
            ["extract", file, "-s", "invoice.json", "--confidence", "2", "--calibration", "calibration.json"];
        let report = place.run(&[&words[..], &server.options(), &["--json"]].concat()).code(0).json();
        let leaves = report["metrics"]["confidences"]["leaves"].as_array().unwrap().clone();
        let number = leaves.iter().find(|leaf| leaf["path"] == "$.number").unwrap()["confidence"].as_f64();
        number.unwrap()
    };
    let (stated, invented) = (confidence("a.txt"), confidence("b.txt"));
    assert!(stated > 0.9 && invented < 0.5, "{stated} {invented}");
    // Its own file may be replaced, another not.
    let report = place.run(&with(&server, &["--json"])).code(0).json();
    assert_eq!((&report["documents"], &report["failures"]), (&json!(80), &json!(0)));
    place.write("calibration.json", "{}");
    place.run(&with(&server, &[])).code(2).says("--overwrite");
    let calibrated = ["--confidence", "2", "--calibration", "calibration.json", "--overwrite"];
    place.run(&with(&server, &calibrated)).code(2).says("leave it away");
}

#[test]
fn too_few_answers_are_an_error_that_counts_them() {
    let (few, server) = (place(49), Server::replying(GOOD));
    few.run(&with(&server, &[])).code(2).says("needs 50 documents with known values, and there are 49");
    assert!(server.asked().is_empty());
    let place = place(50);
    let silent = Server::new(|_| Response::Reply("I do not know.".to_owned()));
    let ended = place.run(&with(&silent, &["--max-attempts", "1"])).code(1);
    ended.says("50 have no answer").says("the first of them");
    let refusing = Server::new(|_| Response::Status(401));
    place.run(&with(&refusing, &["--concurrent", "1"])).code(4).says("could not be asked").says("401");
    assert_eq!(refusing.asked().len(), 10);
    assert!(!place.path("calibration.json").exists());
}

#[test]
fn settings_that_make_no_sense_are_a_mistake_of_usage() {
    let (place, server) = (place(60), Server::replying(GOOD));
    let ended = place.run(&with(&server, &["--keep-valid-items"])).code(2);
    ended.says("`--keep-valid-items` is given, but the answer is not a list").says("x-keep-valid-items");
    let ended = place.run(&with(&server, &["--confidence", "2", "--chunk-chars", "100"])).code(2);
    ended.says("leave out `--chunk-chars` or `--confidence`");
    assert!(server.asked().is_empty());
}
