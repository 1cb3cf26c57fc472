use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Account {
    #[extract(sensitive, sensitive)]
    iban: String,
}

fn main() {}
