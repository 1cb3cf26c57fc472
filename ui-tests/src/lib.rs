//! The catalogue of compile errors.
//!
//! One file per mistake in `fail/<kind>/`, with its name as the sentence, and the compiler's output
//! beside it. The legal neighbours are in `pass/`. The wording of rustc changes between versions,
//! so the catalogue is that of Rust 1.95; `TRYBUILD=overwrite cargo test -p extractable-ui-tests`
//! rewrites it.

#[cfg(test)]
mod tests {
    /// Kinds of mistakes: the folders in `fail/`.
    const KINDS: &[&str] = &[
        "agent",
        "attribute",
        "constraint",
        "context",
        "name",
        "partial",
        "place",
        "rule",
        "serde",
        "shape",
        "type",
    ];

    #[rustversion::stable(1.95)]
    #[test]
    fn catalogue() {
        let catalogue = trybuild::TestCases::new();
        for kind in KINDS {
            catalogue.compile_fail(format!("fail/{kind}/*.rs"));
        }
    }

    /// A separate test, so that the cases in `fail` are checked in the same way whether or not it
    /// runs: passing cases are built too, which may add errors.
    #[test]
    fn catalogue_of_what_passes() {
        trybuild::TestCases::new().pass("pass/*.rs");
    }

    #[rustversion::not(stable(1.95))]
    #[test]
    fn catalogue() {
        eprintln!("SKIPPED: the catalogue of compile errors is for Rust 1.95");
    }

    /// The number of cases in each folder. Update it with a new case.
    const FAILING: usize = 286;
    const PASSING: usize = 17;

    /// A glob that matches nothing passes, so the files are counted.
    #[test]
    fn every_case_is_in_the_catalogue() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut failing = 0;
        for entry in std::fs::read_dir(root.join("fail")).unwrap() {
            let kind = entry.unwrap().path();
            let name = kind.file_name().unwrap().to_str().unwrap();
            assert!(KINDS.contains(&name), "`fail/{name}` is not among the kinds");
            failing += cases(&kind, |case| {
                assert!(case.with_extension("stderr").exists(), "{} has no .stderr", case.display());
            });
        }
        assert_eq!(failing, FAILING, "cases in `fail`");
        assert_eq!(cases(&root.join("pass"), |_| {}), PASSING, "cases in `pass`");
    }

    /// A message without its case would never be checked.
    #[test]
    fn every_message_has_its_case() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fail");
        for kind in KINDS {
            for file in files(&root.join(kind), "stderr") {
                assert!(file.with_extension("rs").exists(), "{} has no case", file.display());
            }
        }
    }

    fn cases(folder: &std::path::Path, check: impl Fn(&std::path::Path)) -> usize {
        let cases = files(folder, "rs");
        for case in &cases {
            check(case);
        }
        cases.len()
    }

    fn files(folder: &std::path::Path, extension: &str) -> Vec<std::path::PathBuf> {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|file| file.extension().is_some_and(|found| found == extension)).collect()
    }
}
