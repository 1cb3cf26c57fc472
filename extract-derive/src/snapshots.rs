//! Snapshots of the expansion for reviewers: input and output in one file of `snapshots/`.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test -p extractable-derive` rewrites them.

use std::{collections::BTreeSet, env, fs, path::Path};

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
        assert_eq!(output.matches("__extract::DerivedType for A").count(), 1, "{output}");
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let output = expanded(
        "#[extract(rulle = a)] struct A { #[extract(minimum = 1, range(max = \"a\"))] a: u8, #[extract(chek = a)] b: u8 }",
    );
    assert_eq!(output.matches("compile_error!").count(), 4, "{output}");
}

/// The types between `before` and `after` in `output`, without spaces.
fn between(output: &str, before: &str, after: &[&str]) -> BTreeSet<String> {
    let pieces: String = output.split_whitespace().collect();
    let found = pieces.split(before).skip(1).filter_map(|rest| {
        let (ty, call) = rest.split_once(">::")?;
        // `>::` also occurs inside a type.
        let (ty, call) = if call.starts_with("new()") || call.starts_with("OPTIONAL") {
            (ty.to_owned(), call)
        } else {
            let (more, call) = call.split_once(">::")?;
            (format!("{ty}>::{more}"), call)
        };
        after.iter().any(|after| call.starts_with(after)).then(|| ty.trim_end_matches(',').to_owned())
    });
    found.collect()
}

/// For a type that an agent cannot be asked for, a call of a method compiles. So there must be an
/// error for each such type: by its answer, or by the field of a partial that holds it.
#[test]
fn each_type_that_is_called_is_asked_for_an_answer() {
    let inputs = [
        "struct A { a: u8, b: Vec<Option<Line>>, #[serde(flatten)] c: Rest, #[extract(schema_with = f)] d: D }",
        "struct A(#[extract(range(min = 1))] Line);",
        "#[serde(transparent)] struct A { #[serde(skip)] a: u8, b: Line }",
        "#[serde(from = \"Line\")] struct A { a: u8 }",
        "struct A<T>(Vec<T>, T, Box<Self>);",
        "#[serde(tag = \"t\")] enum A { B(Line), #[extract(rule = f)] C { c: Line2, #[serde(skip)] d: D }, \
         #[serde(skip)] E(Line3), #[serde(with = \"f\")] #[extract(schema_with = f)] F(Line4) }",
        "#[extract(partial)] struct A { #[extract(check = f)] a: Line, #[serde(default)] b: Line2 }",
    ];
    for input in inputs {
        let output = expanded(input);
        let used = between(&output, "AskedType::<", &["new().", "OPTIONAL"]);
        let answered = between(&output, "(&&__extract::AskedType::<", &["new())"]);
        assert!(!output.contains("compile_error"), "{output}");
        assert!(!used.is_empty(), "{output}");
        let packed: String = output.split_whitespace().collect();
        let is_held = |ty: &String| packed.contains(&format!("partials::Progress<{ty}>"));
        let is_asked = used.iter().all(|ty| answered.contains(ty) || is_held(ty));
        assert!(is_asked, "{input}: {used:?} and {answered:?}");
    }
}
