//! Sensitive fields of every kind.
#![deny(warnings)]

use std::collections::BTreeMap;

use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Pin(#[extract(sensitive, length(equal = 4))] String);

#[derive(Deserialize, Extractable)]
struct Account {
    #[extract(sensitive, check = is_known, one_of = ["a", "b"], description = "secret")]
    name: Option<String>,
    #[extract(sensitive)]
    pins: BTreeMap<String, Vec<Pin>>,
}

fn is_known(_: &Option<String>) -> Result<(), String> {
    Ok(())
}

#[derive(Deserialize, Extractable)]
enum Owner {
    Account(#[extract(sensitive)] Account, #[extract(sensitive)] u8),
}

fn main() {
    let _ = |owner: Owner| match owner {
        Owner::Account(account, number) => (account.name, account.pins.len(), number, |pin: Pin| pin.0),
    };
}
