use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Account {
    #[serde(skip)]
    #[extract(key)]
    owner: String,
    name: String,
}

fn main() {}
