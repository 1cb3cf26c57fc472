use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
enum Account {
    #[extract(sensitive)]
    Iban(String),
}

fn main() {}
