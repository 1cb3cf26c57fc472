use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Account {
    #[extract(sensitive = true)]
    iban: String,
}

fn main() {}
