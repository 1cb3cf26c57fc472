//! The keys that serde shows to each flattened field, and to the content beside a tag.

use std::collections::BTreeMap;

use extract::{Contract, Extractable, settings::SchemaNotation};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::oracle::{Stricter, check, check_but_for};

#[derive(Debug, Serialize, Deserialize, Extractable)]
enum Shape {
    Circle {
        r: u8,
    },
    #[serde(alias = "Sq")]
    Square(u8),
    Unit,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Kind {
    A { a: u8 },
    B,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(tag = "t", content = "c", deny_unknown_fields)]
enum Adjacent {
    A { a: u8 },
    B(u8),
    C,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(untagged)]
enum Contact {
    Mail { mail: String },
    Phone { phone: u32 },
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(untagged, deny_unknown_fields)]
enum Closed {
    Mail { mail: String },
    Phone { phone: u32, prefix: Option<u8> },
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(deny_unknown_fields)]
struct Strict {
    a: u8,
    b: Option<u8>,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Named {
    name: String,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Extractable)]
enum Side {
    Left,
    Right,
}

/// A part, and the other keys.
#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Beside<T, M> {
    id: u8,
    #[serde(flatten)]
    part: T,
    #[serde(flatten)]
    rest: M,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Flat<T> {
    id: u8,
    #[serde(flatten)]
    part: T,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(tag = "tag")]
enum Tagged<T> {
    Part(T),
    Nothing,
}

type Numbers = BTreeMap<String, u8>;

fn mistake<T: Extractable>() -> String {
    Contract::of::<T>().expect_err("a mistake").to_string()
}

#[test]
fn a_map_does_not_get_the_keys_that_fields_before_it_take() {
    let shapes = [json!({"id": 1, "Circle": {"r": 1}, "k": 3}), json!({"id": 1, "Unit": null, "k": 3})];
    let shapes = shapes.into_iter().chain([json!({"id": 1, "Sq": 1, "k": 3})]);
    assert!(check_but_for::<Beside<Shape, Numbers>>(&[Stricter::Variants], shapes) > 3);
    let adjacent = [json!({"id": 1, "t": "A", "c": {"a": 1}, "k": 3}), json!({"id": 1, "t": "C"})];
    assert!(check::<Beside<Adjacent, Numbers>>(adjacent) > 3);
    let left = BTreeMap::from([(Side::Left, 1)]);
    let named = Beside { id: 1, part: Named { name: "n".to_owned() }, rest: left };
    assert!(check::<Beside<Named, BTreeMap<Side, u8>>>([json!(named)]) > 1);
    assert!(check::<Flat<BTreeMap<Side, u8>>>([json!({"id": 1, "Left": 2})]) > 1);
}

#[test]
fn a_map_gets_the_keys_that_other_fields_only_look_at() {
    #[derive(Debug, Serialize, Deserialize, Extractable)]
    #[serde(untagged)]
    enum Words {
        Mail { mail: String },
        Post { post: String },
    }
    let kind = json!({"id": 1, "kind": "A", "a": 1, "k": 3});
    assert!(check::<Beside<Kind, Map<String, Value>>>([kind]) > 1);
    let mail = json!({"id": 1, "mail": "m", "k": "v"});
    assert!(check::<Beside<Words, BTreeMap<String, String>>>([mail]) > 1);
    assert!(mistake::<Beside<Numbers, Named>>().contains("put `part` after `rest`"));
    for mistake in [
        mistake::<Beside<Kind, Numbers>>(),
        mistake::<Beside<Numbers, Kind>>(),
        mistake::<Beside<Numbers, Named>>(),
        mistake::<Beside<Contact, Numbers>>(),
        mistake::<Beside<Kind, BTreeMap<Side, Value>>>(),
    ] {
        assert!(mistake.contains("as an entry of the map"), "{mistake}");
    }
}

#[test]
fn every_entry_belongs_to_each_of_several_maps() {
    assert!(check::<Beside<Numbers, BTreeMap<String, i16>>>([json!({"id": 1, "k": 3})]) > 1);
    let of_both = Contract::of::<Beside<Numbers, BTreeMap<String, String>>>().unwrap();
    assert!(!of_both.validate(&json!({"id": 1, "k": 3})).is_empty());
}

#[test]
fn an_enum_that_refuses_unknown_keys_does_not_see_those_of_the_object() {
    #[derive(Debug, Serialize, Deserialize, Extractable)]
    #[serde(untagged)]
    enum Referring {
        Strict(Strict),
        Named(Named),
    }
    #[derive(Debug, Serialize, Deserialize, Extractable)]
    #[serde(tag = "kind", deny_unknown_fields)]
    enum StrictKind {
        A { a: u8 },
        B(Strict),
        C,
    }
    #[derive(Debug, Serialize, Deserialize, Extractable)]
    enum Partly {
        Known(u8),
        #[serde(untagged)]
        Rest {
            r: u8,
        },
    }
    let values = [json!({"id": 1, "mail": "m"}), json!({"id": 1, "phone": 5, "prefix": null})];
    assert!(check::<Flat<Closed>>(values) > 1);
    let values = [json!({"id": 1, "a": 1, "b": 2}), json!({"id": 1, "name": "n"})];
    assert!(check::<Flat<Referring>>(values) > 2);
    let values = [json!({"id": 1, "kind": "A", "a": 1}), json!({"id": 1, "kind": "B", "a": 1})];
    assert!(check::<Flat<StrictKind>>(values) > 1);
    assert!(check::<Flat<Partly>>([json!({"id": 1, "Known": 1}), json!({"id": 1, "r": 1})]) > 1);
    // It is shown the keys of the other field, whatever their order.
    for mistake in [mistake::<Beside<Closed, Named>>(), mistake::<Beside<Kind, Closed>>()] {
        assert!(mistake.contains("refuses unknown keys"), "{mistake}");
    }
    assert!(check::<Beside<Named, Closed>>([json!({"id": 1, "name": "n", "mail": "m"})]) > 0);
    let optional = Contract::of::<Beside<Named, Option<Closed>>>().unwrap();
    for value in [json!({"id": 1, "name": "n"}), json!({"id": 1, "name": "n", "mail": "m"})] {
        assert_eq!(optional.validate(&value), []);
    }
}

#[test]
fn an_optional_adjacently_tagged_enum_is_there_with_both_keys() {
    let contract = Contract::of::<Flat<Option<Adjacent>>>().unwrap();
    for value in [json!({"id": 1}), json!({"id": 1, "t": "B", "c": 2}), json!({"id": 1, "t": "C"})] {
        assert_eq!(contract.validate(&value), [], "{value}");
    }
    assert!(!contract.validate(&json!({"id": 1, "t": "B"})).is_empty());
}

#[test]
fn a_flattened_enum_has_one_variant() {
    let contract = Contract::of::<Flat<Shape>>().unwrap();
    // serde takes the first variant, whatever its value.
    for value in [json!({"id": 1, "Unit": 7, "Square": 3}), json!({"id": 1, "Square": 3, "Unit": null})] {
        assert!(!contract.validate(&value).is_empty(), "{value}");
    }
    let types = contract.written_as(SchemaNotation::Types);
    assert!(!types.contains("unknown"), "{types}");
}

#[test]
fn an_enum_beside_a_tag_has_one_variant_and_no_other_key() {
    assert!(check::<Tagged<Shape>>([json!({"tag": "Part", "Square": 1}), json!({"tag": "Nothing"})]) > 1);
    assert!(check::<Tagged<Closed>>([json!({"tag": "Part", "mail": "m"})]) > 0);
    assert!(check::<Tagged<BTreeMap<Side, u8>>>([json!({"tag": "Part", "Left": 1})]) > 1);
    assert!(check::<Tagged<Numbers>>([json!({"tag": "Part", "k": 1})]) > 1);
}

#[test]
fn a_key_that_another_field_takes_is_refused() {
    #[derive(Debug, Serialize, Deserialize, Extractable)]
    #[serde(tag = "kind")]
    enum Nested {
        A(Kind),
        B {
            #[serde(flatten)]
            inner: Kind,
        },
    }
    #[derive(Debug, Serialize, Deserialize, Extractable)]
    struct WithKind<T> {
        kind: Option<String>,
        #[serde(flatten)]
        part: T,
    }
    #[derive(Debug, Serialize, Deserialize, Extractable)]
    struct WithId {
        #[serde(alias = "id")]
        name: String,
    }
    for mistake in [
        mistake::<Nested>(),
        mistake::<WithKind<Kind>>(),
        mistake::<WithKind<Option<Kind>>>(),
        mistake::<WithKind<Flat<Option<Kind>>>>(),
    ] {
        assert!(mistake.contains("two fields have the key \"kind\""), "{mistake}");
    }
    // It has another name.
    assert!(check::<Flat<WithId>>([json!({"id": 1, "name": "n"})]) > 0);
}

#[test]
fn a_flattened_option_is_written_with_one_name_for_each_field() {
    #[derive(Debug, Deserialize, Extractable)]
    #[allow(dead_code, reason = "read by serde only")]
    struct Address {
        #[serde(alias = "zip", alias = "plz")]
        postcode: String,
        #[serde(default, alias = "town")]
        city: Option<String>,
        street: String,
    }
    let types = Contract::of::<Flat<Option<Address>>>().unwrap().written_as(SchemaNotation::Types);
    let expected = r#"// and by JSON Schema {"dependentRequired":{"postcode":["street"],"city":["street","postcode"],"street":["postcode"]}}
type Flat_of_Optional_Address = {
  "id": integer // 0 to 255
  "postcode"?: string
  "city"?: string | null
  "street"?: string
}"#;
    assert_eq!(types, expected);
}
