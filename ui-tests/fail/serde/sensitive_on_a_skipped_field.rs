use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Account {
    #[serde(skip)]
    #[extract(sensitive)]
    owner: String,
}

fn main() {}
