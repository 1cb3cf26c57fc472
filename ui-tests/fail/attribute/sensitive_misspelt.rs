use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Account {
    #[extract(senstive)]
    iban: String,
}

fn main() {}
