//! Only objects can be flattened or be next to a tag. Mistakes that the compiler cannot find are
//! found when the contract is made.

use std::collections::BTreeMap;

use extract::{BySchemars, Contract, Extractable};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, Extractable)]
struct Page<T> {
    #[serde(flatten)]
    inner: T,
}

#[derive(Deserialize, Extractable)]
struct Optional<T> {
    #[serde(flatten)]
    inner: Option<Box<T>>,
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Tagged<T> {
    Nothing,
    One(T),
}

#[derive(Deserialize, Extractable)]
struct Named {
    name: String,
}

#[derive(Deserialize, Extractable)]
enum Level {
    High,
    Low,
}

#[derive(Deserialize, Extractable)]
enum Shape {
    Circle { radius: u8 },
    Square(u8),
}

#[derive(Deserialize, JsonSchema)]
struct Theirs {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Celsius(f64);

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Mixed {
    Word(String),
    Named { name: String },
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Scalar {
    Word(String),
    Number(f64),
}

#[derive(Deserialize, Extractable)]
struct Direct {
    #[serde(flatten)]
    temperature: BySchemars<Celsius>,
}

fn mistake<T: Extractable>() -> Option<String> {
    Contract::of::<T>().err().map(|error| error.to_string())
}

#[test]
fn a_type_parameter_that_is_not_an_object_is_refused_when_the_contract_is_made() {
    for mistake in [
        mistake::<Page<u8>>(),
        mistake::<Page<String>>(),
        mistake::<Page<Vec<Named>>>(),
        mistake::<Page<(u8, u8)>>(),
        mistake::<Optional<u8>>(),
        mistake::<Vec<Page<u8>>>(),
    ] {
        let mistake = mistake.expect("a mistake");
        assert!(mistake.contains("the flattened field `inner` is not an object in JSON"), "{mistake}");
    }
    let beside = mistake::<Tagged<u8>>().expect("a mistake");
    assert!(
        beside.contains("the content of the variant `One`, beside its tag, is not an object"),
        "{beside}"
    );
}

#[test]
fn the_message_has_the_path_and_the_next_step() {
    assert_eq!(
        mistake::<Vec<Page<u8>>>().unwrap(),
        "the JSON Schema does not compile at $[\"$defs\"].Page_of_u8: the flattened field `inner` is not an object in JSON (`\"type\": \"integer\"`); \
         only an object can be flattened or stand beside a tag, so give it a field with a name of its own"
    );
}

#[test]
fn a_type_of_another_crate_that_is_not_an_object_is_refused_when_the_contract_is_made() {
    assert!(mistake::<Page<BySchemars<Celsius>>>().unwrap().contains("`inner` is not an object"));
    assert!(mistake::<Optional<BySchemars<Celsius>>>().unwrap().contains("`inner` is not an object"));
    assert!(mistake::<Tagged<BySchemars<Celsius>>>().unwrap().contains("`One`"));
    assert!(mistake::<Page<BySchemars<Scalar>>>().unwrap().contains("`inner` is not an object"));
    assert!(mistake::<Direct>().unwrap().contains("the flattened field `temperature`"));
    let _ = |direct: Direct| direct.temperature.0.0;
}

/// Returns whether the contract allows `value`, which serde reads.
fn allows<T: Extractable>(value: &Value) -> bool {
    assert!(T::deserialize(value).is_ok(), "serde refuses {value}");
    Contract::of::<T>().unwrap().validate(value).is_empty()
}

#[test]
fn objects_are_flattened_and_stand_beside_a_tag() {
    assert!(allows::<Page<Named>>(&json!({"name": "a"})));
    assert!(allows::<Page<Level>>(&json!({"High": null})));
    assert!(allows::<Page<Shape>>(&json!({"Square": 1})));
    assert!(allows::<Page<BTreeMap<String, u8>>>(&json!({"a": 1})));
    assert!(allows::<Page<Value>>(&json!({"a": 1})));
    assert!(allows::<Page<()>>(&json!({})));
    assert!(allows::<Page<BySchemars<Theirs>>>(&json!({"name": "a"})));
    assert!(allows::<Page<BySchemars<Mixed>>>(&json!({"name": "a"})));
    assert!(allows::<Page<Page<Named>>>(&json!({"name": "a"})));
    assert!(allows::<Optional<Named>>(&json!({})));
    assert!(allows::<Optional<BySchemars<Theirs>>>(&json!({"name": "a"})));
    assert!(allows::<Tagged<Named>>(&json!({"kind": "One", "name": "a"})));
    assert!(allows::<Tagged<Level>>(&json!({"kind": "One", "Low": null})));
    assert!(allows::<Tagged<BySchemars<Theirs>>>(&json!({"kind": "One", "name": "a"})));
    assert!(allows::<Tagged<()>>(&json!({"kind": "One"})));
}

#[test]
fn what_is_read_is_there() {
    let page = Page::<Named>::from_reply(r#"{"name": "a"}"#).unwrap().0;
    assert_eq!(page.inner.name, "a");
    let optional = Optional::<Named>::from_reply("{}").unwrap().0;
    assert!(optional.inner.is_none());
    let tagged = Tagged::<Level>::from_reply(r#"{"kind": "One", "Low": null}"#).unwrap().0;
    assert!(matches!(tagged, Tagged::One(Level::Low)) && !matches!(tagged, Tagged::One(Level::High)));
    assert!(matches!(Tagged::<()>::from_reply(r#"{"kind": "Nothing"}"#).unwrap().0, Tagged::Nothing));
    let theirs = |theirs: Theirs| theirs.name;
    let _ = (theirs, |mixed: Mixed| match mixed {
        Mixed::Word(text) | Mixed::Named { name: text } => text,
    });
    let _ = |scalar: Scalar| match scalar {
        Scalar::Word(text) => f64::from(u8::from(text.is_empty())),
        Scalar::Number(number) => number,
    };
    let _ = |shape: Shape| match shape {
        Shape::Circle { radius } | Shape::Square(radius) => radius,
    };
}

/// Values that serde silently reads as absent.
mod optional {
    use super::*;

    #[derive(Deserialize, Extractable)]
    #[serde(tag = "kind", rename_all = "lowercase")]
    #[allow(dead_code, reason = "read by serde only")]
    enum Payment {
        Card { last4: String },
        Cash { paid: Option<u32> },
        Free,
    }

    #[derive(Deserialize, Extractable)]
    #[serde(untagged)]
    #[allow(dead_code, reason = "read by serde only")]
    enum Contact {
        Mail { mail: String },
        Phone { prefix: u8, phone: u32 },
    }

    #[derive(Deserialize, Extractable)]
    #[allow(dead_code, reason = "read by serde only")]
    struct Address {
        #[serde(alias = "zip")]
        postcode: String,
        #[serde(default, alias = "town")]
        city: Option<String>,
        street: String,
    }

    #[derive(Deserialize, Extractable)]
    #[allow(dead_code, reason = "read by serde only")]
    struct Delivery {
        by: String,
        note: Option<String>,
        #[serde(flatten)]
        payment: Payment,
        #[serde(flatten)]
        contact: Option<Contact>,
    }

    #[derive(Deserialize, Extractable)]
    struct Order<T> {
        #[serde(rename = "id")]
        _id: u8,
        #[serde(flatten)]
        part: Option<T>,
    }

    /// Objects of up to three of these members.
    fn objects(members: &[(&str, Value)]) -> Vec<Value> {
        let mut objects = vec![json!({"id": 1})];
        for _ in 0..3 {
            for object in objects.clone() {
                for (key, value) in members {
                    let mut object = object.clone();
                    object[*key] = value.clone();
                    objects.push(object);
                }
            }
        }
        objects
    }

    /// Checks that a part is absent only if none of its keys is there, and returns how often it is
    /// there.
    fn present<T: Extractable>(members: &[(&str, Value)]) -> usize {
        let contract = Contract::of::<Order<T>>().unwrap();
        let mut present = 0;
        for object in objects(members) {
            if !contract.validate(&object).is_empty() {
                continue;
            }
            let is_there = Order::<T>::deserialize(&object).unwrap().part.is_some();
            let has_keys =
                object.as_object().unwrap().iter().any(|(key, value)| key != "id" && !value.is_null());
            assert!(is_there || !has_keys, "{object} is lost\n{:#}", contract.schema());
            present += usize::from(is_there);
        }
        assert!(contract.validate(&json!({"id": 1})).is_empty());
        assert!(contract.validate(contract.example().expect("an example")).is_empty());
        present
    }

    #[test]
    fn a_union_is_whole_or_absent() {
        let payment = [
            ("kind", json!("card")),
            ("kind", json!("cash")),
            ("kind", json!("free")),
            ("kind", json!("crad")),
            ("kind", json!(null)),
            ("last4", json!("1234")),
            ("last4", json!(1234)),
            ("paid", json!(5)),
            ("paid", json!("5")),
            ("paid", json!(null)),
        ];
        assert!(present::<Payment>(&payment) > 5);
        let contact = [
            ("mail", json!("a")),
            ("mail", json!(1)),
            ("prefix", json!(4)),
            ("prefix", json!(400)),
            ("phone", json!(5)),
            ("phone", json!(null)),
        ];
        assert!(present::<Contact>(&contact) > 3);
        assert!(present::<Box<Contact>>(&contact) > 3);
        let shape = [
            ("Circle", json!({"radius": 1})),
            ("Circle", json!({})),
            ("Square", json!(1)),
            ("Square", json!(300)),
        ];
        assert!(present::<Shape>(&shape) > 1);
        assert!(present::<Level>(&[("High", json!(null)), ("Low", json!(null)), ("Low", json!(1))]) > 1);
    }

    #[test]
    fn a_struct_whose_fields_have_several_names_is_whole_or_absent() {
        let address = [
            ("postcode", json!("1")),
            ("zip", json!("2")),
            ("zip", json!(2)),
            ("city", json!("B")),
            ("town", json!("B")),
            ("street", json!("S")),
            ("street", json!(1)),
        ];
        assert!(present::<Address>(&address) > 3);
    }

    #[test]
    fn a_struct_with_flattened_unions_is_whole_or_absent() {
        let delivery = [
            ("by", json!("van")),
            ("note", json!("n")),
            ("kind", json!("free")),
            ("kind", json!("card")),
            ("last4", json!("1")),
            ("mail", json!("m")),
            ("mail", json!(1)),
        ];
        assert!(present::<Delivery>(&delivery) > 2);
    }

    #[test]
    fn the_violation_is_that_of_the_union() {
        let contract = Contract::of::<Order<Payment>>().unwrap();
        for (value, path, expected) in [
            (json!({"id": 1, "kind": "card", "last4": 1234}), "$.last4", "a string"),
            (json!({"id": 1, "kind": "card"}), "$.last4", "a string"),
            (json!({"id": 1, "kind": "crad", "last4": "1"}), "$.kind", "one of [\"card\",\"cash\",\"free\"]"),
            (json!({"id": 1, "kind": "crad"}), "$.kind", "one of [\"card\",\"cash\",\"free\"]"),
        ] {
            let violations = contract.validate(&value);
            let found = violations.iter().find(|one| one.path.to_string() == path);
            let found = found.and_then(|one| one.expected.as_deref());
            assert_eq!(found, Some(expected), "{value} {violations:?}");
        }
    }
}

#[derive(Deserialize, Extractable)]
struct Endless {
    #[serde(flatten)]
    one: Option<Box<Endless>>,
    #[serde(flatten)]
    other: Option<Box<Endless>>,
}

#[derive(Deserialize, Extractable)]
struct ByTurns {
    #[serde(flatten)]
    tagged: Option<Box<Turned>>,
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Turned {
    Back(ByTurns),
    End,
}

#[test]
fn a_flattened_type_that_contains_itself_is_refused_when_the_contract_is_made() {
    for mistake in [mistake::<Endless>(), mistake::<ByTurns>(), mistake::<Vec<Turned>>()] {
        let mistake = mistake.expect("a mistake");
        assert!(mistake.contains("leads to its own type again"), "{mistake}");
    }
    let _ = |endless: Endless, turns: ByTurns| (endless.one, endless.other, turns.tagged);
    let _ = [Turned::End].map(|turned| matches!(turned, Turned::Back(_)));
    // It was no circle, and what follows it is not refused.
    assert_eq!(mistake::<Page<Named>>(), None);
}

#[derive(Deserialize, Extractable)]
struct Twice {
    town: String,
    #[serde(flatten)]
    place: Town,
}

#[derive(Deserialize, Extractable)]
struct Town {
    town: String,
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "town")]
enum ByTown {
    There(Town),
}

#[test]
fn a_key_of_two_fields_is_refused_when_the_contract_is_made() {
    for mistake in [mistake::<Twice>(), mistake::<ByTown>()] {
        let mistake = mistake.expect("a mistake");
        assert!(mistake.contains("two fields have the key \"town\""), "{mistake}");
    }
    let _ = |twice: Twice, ByTown::There(there): ByTown| (twice.town, twice.place.town, there.town);
}
