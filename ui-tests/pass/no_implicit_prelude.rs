#![no_implicit_prelude]

use ::extract::Extractable;
use ::serde::Deserialize;
use ::std::{collections::BTreeMap, option::Option, string::String, vec::Vec};

#[derive(Deserialize, Extractable)]
#[extract(rule = never, partial)]
struct Order {
    /// Documented.
    #[extract(length(min = 1), pattern = "a", example = "a")]
    name: String,
    #[extract(range(min = 1), one_of = [1, 2], check = never, example = 1)]
    size: Option<u8>,
    #[extract(items(range(max = 9)), unique)]
    list: Vec<u8>,
    #[extract(keys(length(max = 9)), values(multiple_of = 2))]
    map: BTreeMap<String, u8>,
    choice: Choice,
    page: Page<u8, 3>,
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Choice {
    A,
    #[extract(rule = never)]
    B { a: u8 },
    C(Page<u8, 3>),
}

#[derive(Deserialize, Extractable)]
enum Names {
    A,
    #[serde(skip)]
    B,
}

#[derive(Deserialize, Extractable)]
#[extract(partial)]
struct Page<T, const N: usize> {
    #[doc = ::std::concat!("a", "b")]
    items: Vec<T>,
}

#[derive(Deserialize, Extractable)]
#[extract(partial(name = Other))]
#[serde(transparent)]
struct Newtype(u8);

fn never<T>(_: &T) -> ::std::result::Result<(), String> {
    ::std::result::Result::Ok(())
}

fn main() {}
