//! Constraints that only the whole schema shows: those of constants, and those of a newtype beside those
//! of the field that holds it.

use extract::{Contract, Extractable};
use serde::{Deserialize, Serialize};
use serde_json::json;

const TEN: u8 = 10;
const FIVE: u8 = 5;
const BELOW: i32 = -5;
const NOTHING: &[&str] = &[];
const NO_NUMBER: f64 = f64::NAN;
const INFINITE: f64 = f64::INFINITY;

/// Structs with one field.
macro_rules! fields {
    ($($name:ident: $type:ty, $constraint:meta;)*) => {$(
        #[derive(Debug, Serialize, Deserialize, Extractable)]
        struct $name {
            #[$constraint]
            field: $type,
        }
    )*};
}

fields! {
    Crossed: u8, extract(range(min = TEN, max = FIVE));
    CrossedOption: Option<u8>, extract(range(min = TEN, max = FIVE));
    CrossedItems: Vec<u8>, extract(items(range(exclusive_min = FIVE, max = FIVE)));
    BelowTheType: u8, extract(range(max = BELOW));
    BetweenMultiples: u8, extract(range(min = 11, max = 14), multiple_of = FIVE);
    BetweenNeighbours: i32, extract(range(exclusive_min = FIVE, exclusive_max = 6));
    BetweenIntegers: f32, extract(range(exclusive_min = FIVE, exclusive_max = FIVE));
    NoValue: String, extract(one_of = NOTHING);
    NoNumber: f64, extract(range(min = NO_NUMBER));
    BeyondAll: f64, extract(range(min = INFINITE));
    BeyondTheNewtype: Small, extract(range(min = TEN));
    ListedBeyondTheNewtype: Code, extract(one_of = ["abc"]);
    NoBound: f64, extract(range(max = INFINITE));
    Tenths: f64, extract(range(min = 0.25, max = 0.3), multiple_of = 0.1);
    Narrower: Small, extract(range(min = 4, max = 200));
    NarrowerOption: Option<Small>, extract(range(min = 4));
    NarrowerItems: Vec<Small>, extract(length(min = 2), items(range(min = 3)));
    Long: Code, extract(length(min = 3));
    Listed: Option<Code>, extract(one_of = ["AB", "CD"]);
    LongList: Several, extract(length(min = 3));
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Small(#[extract(range(max = 5))] u8);

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Code(#[extract(pattern = "^[A-Z]+$")] String);

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Several(#[extract(length(min = 2))] Vec<u8>);

#[test]
fn constraints_that_no_value_satisfies_are_refused_when_the_contract_is_made() {
    fn mistake<T: Extractable>() -> String {
        Contract::of::<T>().expect_err("a mistake").to_string()
    }
    for (mistake, expected) in [
        (mistake::<Crossed>(), "$.properties.field: no value satisfies both `minimum` 10 and `maximum` 5"),
        (mistake::<CrossedOption>(), "both `minimum` 10 and `maximum` 5"),
        (mistake::<CrossedItems>(), "$.properties.field.items: no value satisfies both"),
        (mistake::<BelowTheType>(), "both `minimum` 0 and `maximum` -5"),
        (mistake::<BetweenMultiples>(), "no multiple of 5 lies between 11 and 14"),
        (mistake::<BetweenNeighbours>(), "no integer lies between 5 and 6"),
        (mistake::<BetweenIntegers>(), "both `exclusiveMinimum` 5 and `exclusiveMaximum` 5"),
        (mistake::<NoValue>(), "none of the listed values []"),
        (mistake::<NoNumber>(), "the constant for `minimum` is not a number"),
        (mistake::<BeyondAll>(), "no number satisfies the constant for `minimum`"),
        (mistake::<BeyondTheNewtype>(), "both `minimum` 10 and `maximum` 5"),
        (mistake::<ListedBeyondTheNewtype>(), "none of the listed values [\"abc\"]"),
    ] {
        assert!(mistake.contains(expected), "{mistake}");
    }
}

#[test]
fn a_bound_that_is_a_multiple_counts_as_one_whatever_its_quotient_is_as_a_double() {
    let contract = Contract::of::<Tenths>().unwrap();
    assert!(contract.validate(&json!({"field": 0.3})).is_empty());
    assert!(!contract.validate(&json!({"field": 0.25})).is_empty());
}

#[test]
fn an_example_satisfies_the_constraints_of_the_field_and_of_its_newtype() {
    fn example<T: Extractable>() -> serde_json::Value {
        let contract = Contract::of::<T>().unwrap();
        let example = contract.example().expect("an example").clone();
        assert!(contract.validate(&example).is_empty(), "{example}");
        example["field"].clone()
    }
    assert_eq!(example::<NoBound>(), json!(1.0));
    assert_eq!(example::<Narrower>(), json!(4));
    assert_eq!(example::<NarrowerOption>(), json!(4));
    assert_eq!(example::<NarrowerItems>(), json!([3, 3]));
    assert_eq!(example::<Long>(), json!("AAA"));
    assert_eq!(example::<Listed>(), json!("AB"));
    assert_eq!(example::<LongList>(), json!([1, 1, 1]));
}
