//! Snapshots of the expansion for reviewers: input and output in one file of `snapshots/`.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test -p extractable-derive` rewrites them.

use std::{env, fs, path::Path};

use syn::DeriveInput;

const DIVIDER: &str = "\n// ---- expands to ----\n\n";

fn expanded(input: &str) -> String {
    let input: DeriveInput = syn::parse_str(input).expect("the input is a type");
    prettyplease::unparse(&syn::parse2(crate::derive(&input)).expect("the output is Rust"))
}

#[test]
fn every_snapshot_is_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let input = text.split(DIVIDER).next().unwrap();
        let now = format!("{}{DIVIDER}{}", input.trim_end().to_owned() + "\n", expanded(input));
        if env::var_os("UPDATE_SNAPSHOTS").is_some() {
            fs::write(&path, now).unwrap();
        } else {
            assert!(text == now, "{} is not what the derive makes now:\n{now}", path.display());
        }
        seen += 1;
    }
    assert!(seen >= 5, "{seen} snapshots");
}

#[test]
fn a_type_with_mistakes_is_implemented_all_the_same() {
    let mistakes = [
        "struct A { #[extract(minimum = 1)] a: u8 }",
        "#[extract(rulle = a)] struct A;",
        "enum A { B { #[serde(deserialize_with = \"x\")] a: u8 } }",
        "struct A<T>(T, #[extract(range(min = 2, max = 1))] u8);",
    ];
    for input in mistakes {
        let output = expanded(input);
        assert_eq!(output.matches("compile_error!").count(), 1, "{output}");
        assert_eq!(output.matches("__extract::Derived for A").count(), 1, "{output}");
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let output = expanded(
        "#[extract(rulle = a)] struct A { #[extract(minimum = 1, range(max = \"a\"))] a: u8, #[extract(chek = a)] b: u8 }",
    );
    assert_eq!(output.matches("compile_error!").count(), 4, "{output}");
}
