//! Untagged enums with a variant that serde never reads, because an earlier one takes its values.

use extract::{Contract, Extractable};
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
struct Small {
    x: i64,
    y: Option<i64>,
}

#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
struct Large {
    /// Another description.
    x: i64,
    z: i64,
}

#[derive(Deserialize, Extractable)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "read by serde only")]
struct Closed {
    x: i64,
}

#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
struct OtherType {
    x: String,
    z: i64,
}

#[derive(Deserialize, Extractable)]
#[serde(untagged)]
#[allow(dead_code, reason = "read by serde only")]
enum Untagged<A, B> {
    One(A),
    Two(B),
}

#[derive(Deserialize, Extractable)]
#[serde(untagged)]
#[allow(dead_code, reason = "read by serde only")]
enum Fields {
    Number(i64),
    One { x: i64, y: Option<i64> },
    Two { x: i64, z: i64 },
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "kind")]
#[allow(dead_code, reason = "read by serde only")]
enum Tagged {
    One { x: i64, y: Option<i64> },
    Two { x: i64, z: i64 },
}

#[derive(Deserialize, Extractable)]
#[allow(dead_code, reason = "read by serde only")]
struct Holder {
    list: Vec<Untagged<Small, Large>>,
}

fn mistake<T: Extractable>() -> Option<String> {
    Contract::of::<T>().err().map(|error| error.to_string())
}

#[test]
fn a_variant_that_an_earlier_one_hides_is_refused_when_the_contract_is_made() {
    let message = "alternative 2 is never read: its values fit alternative 1, which is before it and ignores `z`; put \
                   it first, or let the other refuse unknown keys with `#[serde(deny_unknown_fields)]`, or give the \
                   enum a `tag`";
    assert!(mistake::<Untagged<Small, Large>>().unwrap().contains(message));
    let inside = mistake::<Holder>().unwrap();
    assert!(inside.contains(message) && inside.contains("Untagged_of_Small_and_Large"), "{inside}");
    let fields = mistake::<Fields>().unwrap();
    assert!(fields.contains("alternative 3 is never read: its values fit alternative 2"), "{fields}");
}

#[test]
fn a_variant_that_serde_may_read_is_not() {
    for mistake in [
        mistake::<Untagged<Large, Small>>(),
        mistake::<Untagged<Closed, Large>>(),
        mistake::<Untagged<Small, OtherType>>(),
        mistake::<Untagged<OtherType, Large>>(),
        // Nothing is lost.
        mistake::<Untagged<Small, Small>>(),
        mistake::<Untagged<Large, Closed>>(),
        mistake::<Tagged>(),
    ] {
        assert_eq!(mistake, None);
    }
}
