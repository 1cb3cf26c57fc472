//! Every input that is committed for the fuzz targets, through the same functions; the package of
//! the MCP server runs the inputs of `requests`. Bugs found by a fuzzer stay fixed.

use std::{fs, path::Path};

use extractable_fuzz::{
    attributes, cassettes, chunks, feedback, journals, patches, paths, reading, schemas, types, unions,
};

/// Runs the inputs of a target; a panic names the file.
fn run(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let mut inputs = 0;
    for entry in fs::read_dir(&folder).expect("every target has a folder") {
        let file = entry.expect("the folder can be read").path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Others are local files of a fuzzing run.
        if !name.starts_with("seed_") && !name.starts_with("found_") {
            continue;
        }
        eprintln!("{}", file.display());
        check(&fs::read(&file).expect("the file can be read"));
        inputs += 1;
    }
    assert!(inputs >= 4, "{inputs} inputs of `{target}`");
}

#[test]
fn attributes_that_were_found_are_no_panic() {
    run("attributes", attributes::check);
}

#[test]
fn cassettes_that_were_found_are_replayed_or_refused() {
    run("cassettes", cassettes::check);
}

#[test]
fn replies_in_pieces_that_were_found_are_shown_as_whole_ones() {
    run("chunks", chunks::check);
}

#[test]
fn texts_that_were_found_stay_in_their_place_of_the_feedback() {
    run("feedback", feedback::check);
}

#[test]
fn journals_with_damages_that_were_found_give_no_wrong_value() {
    run("journals", journals::check);
}

#[test]
fn patches_that_were_found_are_applied_or_refused() {
    run("patches", patches::check);
}

#[test]
fn paths_that_were_found_are_the_same_when_they_are_written() {
    run("paths", paths::check);
}

#[test]
fn replies_that_were_found_are_read_or_refused() {
    run("reading", reading::check);
}

#[test]
fn schemas_that_were_found_agree_with_an_independent_validator() {
    run("schemas", schemas::check);
}

#[test]
fn texts_of_types_that_were_found_are_read_or_refused() {
    run("types", types::check);
}

#[test]
fn unions_that_were_found_agree_with_an_independent_validator() {
    run("unions", unions::check);
}

/// A target that does not run each night finds nothing.
#[test]
fn every_target_has_a_job_and_inputs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let names = |folder: &str| {
        let entries = fs::read_dir(root.join(folder)).expect("the folder is there");
        let mut names: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_string_lossy().into_owned()))
            .collect();
        names.sort();
        names
    };
    let targets = names("fuzz/fuzz_targets");
    assert_eq!(targets, names("fuzz/corpus"));
    let nightly = fs::read_to_string(root.join(".github/workflows/nightly.yml")).expect("there is one");
    let (_, list) = nightly.split_once("target: [").expect("the job has a list of targets");
    let (list, _) = list.split_once(']').expect("the list ends");
    let mut fuzzed: Vec<_> = list.split(',').map(|name| name.trim().to_owned()).collect();
    fuzzed.sort();
    assert_eq!(targets, fuzzed);
}
