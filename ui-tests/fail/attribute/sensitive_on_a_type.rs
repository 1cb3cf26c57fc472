use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[extract(sensitive)]
struct Account {
    iban: String,
}

fn main() {}
