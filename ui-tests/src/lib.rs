//! The catalogue of compile errors.
//!
//! One mistake a file in `fail/<kind>/`, the name of the file is the sentence, and beside it what the user sees. The
//! legal neighbours are in `pass/`. The wording of rustc changes between versions, so the catalogue is that of Rust
//! 1.95; `TRYBUILD=overwrite cargo test -p extractable-ui-tests` writes it anew.

#[cfg(test)]
mod tests {
    /// Kinds of mistakes: the folders in `fail/`.
    const KINDS: &[&str] =
        &["attribute", "constraint", "context", "name", "place", "rule", "serde", "shape", "type"];

    #[rustversion::stable(1.95)]
    #[test]
    fn catalogue() {
        let catalogue = trybuild::TestCases::new();
        for kind in KINDS {
            catalogue.compile_fail(format!("fail/{kind}/*.rs"));
        }
        catalogue.pass("pass/*.rs");
    }

    #[rustversion::not(stable(1.95))]
    #[test]
    fn catalogue() {
        eprintln!("SKIPPED: the catalogue of compile errors is for Rust 1.95");
    }

    /// A glob that matches nothing passes, so the files are counted.
    #[test]
    fn every_case_is_in_the_catalogue() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut cases = 0;
        for entry in std::fs::read_dir(root.join("fail")).unwrap() {
            let kind = entry.unwrap().path();
            let name = kind.file_name().unwrap().to_str().unwrap();
            assert!(KINDS.contains(&name), "`fail/{name}` is not among the kinds");
            for case in std::fs::read_dir(&kind).unwrap() {
                let case = case.unwrap().path();
                if case.extension().is_some_and(|extension| extension == "rs") {
                    assert!(case.with_extension("stderr").exists(), "{} has no .stderr", case.display());
                    cases += 1;
                }
            }
        }
        assert!(cases >= 90, "{cases} cases");
    }
}
