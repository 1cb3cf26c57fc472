//! Enums with `#[serde(other)]`: their names are shown, near misses become them, and the rest is
//! kept and reported.

use std::collections::BTreeMap;

use extract::{
    Contract, Extractable,
    reading::{ChangeKind, Loss, Reading},
    schema::dialect::Dialect,
    settings::Leniency,
};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Extractable)]
#[serde(rename_all = "kebab-case")]
enum Language {
    /// The one of this crate.
    RustLang,
    #[serde(alias = "py")]
    Python,
    C,
    #[serde(rename = "C++")]
    Cpp,
    /// Any that is not listed.
    #[serde(other)]
    Other,
}

#[derive(Debug, PartialEq, Deserialize, Extractable)]
struct Repository {
    language: Language,
    second: Option<Language>,
    more: Vec<Language>,
}

#[derive(Debug, PartialEq, Deserialize, Extractable)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Event {
    UserCreated {
        id: u8,
    },
    #[serde(alias = "gone")]
    UserDeleted {
        id: u8,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Debug, PartialEq, Deserialize, Extractable)]
#[serde(tag = "kind", content = "data", rename_all = "snake_case")]
enum Adjacent {
    UserCreated(u8),
    #[serde(other)]
    Unknown,
}

fn read<T: Extractable>(reply: &Value) -> (T, Reading) {
    let contract = Contract::of::<T>().unwrap();
    let reading = contract.read(&reply.to_string());
    assert_eq!(reading.violations, [], "{reply}");
    let value = reading.value.clone().unwrap();
    assert_eq!(contract.validate(&value), [], "{reply}");
    (serde_json::from_value(value).unwrap(), reading)
}

fn kinds(reading: &Reading) -> Vec<(ChangeKind, Loss)> {
    reading.changes.iter().map(|change| (change.kind, change.loss)).collect()
}

const CHOICE: (ChangeKind, Loss) = (ChangeKind::Choice, Loss::Lossless);
const OTHER: (ChangeKind, Loss) = (ChangeKind::Other, Loss::Ignored);

#[test]
fn another_spelling_of_a_known_name_is_that_name() {
    for (text, language, changes) in [
        ("rust-lang", Language::RustLang, vec![]),
        ("Rust Lang", Language::RustLang, vec![CHOICE]),
        ("rust_lang", Language::RustLang, vec![CHOICE]),
        ("rustlang", Language::RustLang, vec![CHOICE]),
        ("Python", Language::Python, vec![CHOICE]),
        ("py", Language::Python, vec![]),
        ("c++", Language::Cpp, vec![CHOICE]),
        ("c", Language::C, vec![]),
        ("rust", Language::Other, vec![OTHER]),
        ("C#", Language::Other, vec![OTHER]),
        ("-c", Language::Other, vec![OTHER]),
        ("cobol", Language::Other, vec![OTHER]),
        ("other", Language::Other, vec![OTHER]),
        ("", Language::Other, vec![OTHER]),
    ] {
        let (found, reading) = read::<Language>(&json!(text));
        assert_eq!((found, kinds(&reading)), (language, changes), "{text}");
    }
    let (_, reading) = read::<Language>(&json!("cobol"));
    let change = &reading.changes[0];
    assert_eq!((&*change.before, &*change.after), ("\"cobol\"", "\"cobol\""));
    assert_eq!(reading.value, Some(json!("cobol")), "the value stays as it was written");
}

#[test]
fn it_is_the_same_wherever_such_a_value_stands() {
    let reply = json!({"language": "Rust Lang", "second": "PYTHON", "more": ["rust_lang", "ada", "C++"]});
    let (repository, reading) = read::<Repository>(&reply);
    let more = vec![Language::RustLang, Language::Other, Language::Cpp];
    let expected = Repository { language: Language::RustLang, second: Some(Language::Python), more };
    assert_eq!(repository, expected);
    let found: Vec<_> = reading.changes.iter().map(|change| (change.path.to_string(), change.kind)).collect();
    let expected = [
        ("$.language", ChangeKind::Choice),
        ("$.second", ChangeKind::Choice),
        ("$.more[0]", ChangeKind::Choice),
        ("$.more[1]", ChangeKind::Other),
    ];
    assert_eq!(found, expected.map(|(path, kind)| (path.to_owned(), kind)));
    let (map, _) = read::<BTreeMap<Language, u8>>(&json!({"rust-lang": 1, "ada": 2}));
    assert_eq!(map, BTreeMap::from([(Language::RustLang, 1), (Language::Other, 2)]));
}

#[test]
fn another_spelling_of_a_known_tag_is_that_tag() {
    for (reply, event, changes) in [
        (json!({"kind": "user_created", "id": 1}), Event::UserCreated { id: 1 }, vec![]),
        (json!({"kind": "UserCreated", "id": 1}), Event::UserCreated { id: 1 }, vec![CHOICE]),
        (json!({"kind": "user created", "id": 1}), Event::UserCreated { id: 1 }, vec![CHOICE]),
        (json!({"id": 1, "kind": "Gone"}), Event::UserDeleted { id: 1 }, vec![CHOICE]),
        (json!({"kind": "user"}), Event::Unknown, vec![OTHER]),
        (json!({"kind": "user_created!"}), Event::Unknown, vec![OTHER]),
        (json!({"kind": "delete_all"}), Event::Unknown, vec![OTHER]),
    ] {
        let (found, reading) = read::<Event>(&reply);
        assert_eq!((found, kinds(&reading)), (event, changes), "{reply}");
    }
    let (_, reading) = read::<Event>(&json!({"kind": "user"}));
    assert_eq!(reading.changes[0].path.to_string(), "$.kind");
    let (found, _) = read::<Adjacent>(&json!({"kind": "UserCreated", "data": 7}));
    assert_eq!(found, Adjacent::UserCreated(7));
    let (found, reading) = read::<Adjacent>(&json!({"kind": "moved"}));
    assert_eq!((found, kinds(&reading)), (Adjacent::Unknown, vec![OTHER]));
}

/// A key in another spelling is corrected only if the reply does not conform.
#[test]
fn a_tag_under_another_spelling_of_its_key_is_the_tag() {
    let (found, _) = read::<Event>(&json!({"Kind": "User Created", "id": 1}));
    assert_eq!(found, Event::UserCreated { id: 1 });
}

#[test]
fn a_known_tag_whose_fields_are_wrong_is_wrong_and_not_another_one() {
    let contract = Contract::of::<Event>().unwrap();
    for tag in ["user_created", "User Created"] {
        let value = contract.read(&json!({"kind": tag}).to_string()).value.unwrap();
        let violations = contract.validate(&value);
        assert_eq!(violations[0].path.to_string(), "$.id", "{tag}: {violations:?}");
    }
}

#[test]
fn the_names_are_shown_in_every_notation() {
    let schema = Contract::of::<Language>().unwrap();
    let expected = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Language",
        "anyOf": [
            {
                "type": "string",
                "enum": ["rust-lang", "python", "py", "c", "C++"],
                "description": "- `rust-lang`: The one of this crate.",
            },
            {"type": "string", "x-other": true, "description": "Any that is not listed."},
        ],
    });
    assert_eq!(schema.schema(), &expected);
    assert_eq!(schema.example(), Some(&json!("rust-lang")));
    let contract = Contract::of::<Repository>().unwrap();
    let instructions = contract.instructions().clone();
    assert!(instructions.contains("rust-lang") && !instructions.contains("x-other"), "{instructions}");
    let tagged = Contract::of::<Event>().unwrap().instructions().clone();
    assert!(tagged.contains("\"kind\": string // other than \"user_created\", "), "{tagged}");
    for dialect in [Dialect::OpenAi, Dialect::Anthropic, Dialect::Gemini, Dialect::Ollama] {
        let projection = dialect.project(contract.schema()).unwrap();
        assert!(projection.schema.to_string().contains("rust-lang"), "{dialect:?}: {projection:?}");
        assert!(!format!("{projection:?}").contains("x-other"), "{dialect:?}: {projection:?}");
    }
}

#[test]
fn a_strict_reader_takes_what_the_schema_allows() {
    let contract = Contract::of::<Repository>().unwrap();
    let reader = contract.reader().leniency(Leniency::Strict);
    let reading = reader.read(r#"{"language": "Ada", "more": ["Rust Lang"]}"#);
    assert_eq!(reading.violations, []);
    assert_eq!(reading.value, Some(json!({"language": "Ada", "more": ["rust-lang"]})));
    let violations = reader.read(r#"{"language": "Ada"}"#).violations;
    assert!(
        violations.iter().all(|violation| !violation.path.to_string().contains("language")),
        "{violations:?}"
    );
}

/// In such a schema the string is a value by itself.
#[test]
fn a_string_beside_names_in_a_schema_of_the_users_own_stays_as_it_is() {
    let schema = json!({"anyOf": [{"enum": ["auto", "none-given"]}, {"type": "string"}]});
    for text in ["Auto", "none given"] {
        let reading = Contract::from_schema(schema.clone()).unwrap().read(&json!(text).to_string());
        assert_eq!((reading.value, reading.changes), (Some(json!(text)), vec![]));
    }
}
