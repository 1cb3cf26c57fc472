#![deny(
    warnings,
    missing_docs,
    unused_qualifications,
    unreachable_pub,
    missing_debug_implementations,
    single_use_lifetimes,
    unused_lifetimes,
    unused_results,
    trivial_casts,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    non_ascii_idents,
    let_underscore_drop,
    unit_bindings,
    redundant_lifetimes,
    ambiguous_negative_literals
)]
#![forbid(unsafe_code)]

//! A crate that denies what can be denied.

use std::collections::BTreeMap;

use extract::Extractable;
use serde::Deserialize;

/// An order.
#[derive(Debug, Deserialize, Extractable)]
#[extract(rule = never, partial)]
pub struct Order {
    /// Its name.
    #[extract(length(min = 1), pattern = "a", format = "email", check = never)]
    pub name: String,
    /// Its size.
    #[extract(range(min = 1, max = 3), one_of = [1, 2], multiple_of = 1, example = 1)]
    pub size: Option<u8>,
    /// Parts.
    #[extract(items(range(max = 9)), unique, length(max = 3))]
    pub list: Vec<u8>,
    /// Parts by name.
    #[extract(keys(length(max = 9)), values(multiple_of = 2))]
    pub map: BTreeMap<String, u8>,
    /// What kind.
    pub choice: Choice,
    /// Generic.
    pub page: Page<u8, 2>,
}

/// Kinds.
#[derive(Debug, Deserialize, Extractable)]
pub enum Choice {
    /// First.
    A,
    /// Second.
    B {
        /// Inside.
        a: u8,
    },
    /// Third.
    C(u8, u8),
}

/// A page.
#[derive(Debug, Deserialize, Extractable)]
#[extract(partial(name = PageDraft))]
pub struct Page<T, const N: usize> {
    /// What is on it.
    pub items: Vec<T>,
}

/// A newtype.
#[derive(Debug, Deserialize, Extractable)]
#[extract(partial)]
pub struct Name(pub String);

fn never<T>(_: &T) -> Result<(), String> {
    Ok(())
}

fn main() {}
