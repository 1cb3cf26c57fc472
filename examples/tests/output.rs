//! Tests that every example runs and prints the text in `output/`.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test -p extractable-examples` rewrites that.

use std::{env, fs, path::Path, process::Command};

/// The names of the examples: the files of the folder with a number.
fn names(folder: &Path, extension: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = entries
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    names.sort();
    names
}

#[test]
fn every_example_prints_what_stands_beside_it() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Cargo builds the examples before the tests of a package, into the folder next to this test's
    // folder.
    let built = env::current_exe().unwrap().parent().unwrap().parent().unwrap().join("examples");
    let is_update = env::var_os("UPDATE_SNAPSHOTS").is_some();
    let (mut wrong, examples) = (Vec::new(), names(here, "rs"));
    for name in &examples {
        let program = built.join(format!("{name}{}", env::consts::EXE_SUFFIX));
        let run = Command::new(&program).output().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(run.status.success(), "{name} failed: {}", String::from_utf8_lossy(&run.stderr));
        let printed = String::from_utf8(run.stdout).unwrap();
        let file = here.join("output").join(format!("{name}.txt"));
        if is_update {
            fs::write(&file, &printed).unwrap();
        } else if fs::read_to_string(&file).unwrap_or_default() != printed {
            wrong.push(format!("{name} printed:\n{printed}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(examples.len() >= 16, "{examples:?}");
    assert_eq!(names(&here.join("output"), "txt"), examples, "an output for each example");
}

#[test]
fn every_example_is_in_the_table_and_in_the_package() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [table, package] =
        ["README.md", "Cargo.toml"].map(|name| fs::read_to_string(here.join(name)).unwrap());
    for name in names(here, "rs") {
        assert!(table.contains(&format!("({name}.rs)")), "{name} is not in README.md");
        assert!(package.contains(&format!("\"{name}.rs\"")), "{name} is not in Cargo.toml");
    }
}

#[test]
fn the_page_about_batches_shows_the_waves_that_the_example_prints() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [page, output] = ["../docs/batches.md", "output/16_batches.txt"]
        .map(|name| fs::read_to_string(here.join(name)).unwrap());
    assert!(
        page.contains(&format!("```text\n{output}```")),
        "docs/batches.md has another text than:\n{output}"
    );
}
