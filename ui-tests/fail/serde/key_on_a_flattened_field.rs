use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Account {
    #[serde(flatten)]
    #[extract(key, merge = last)]
    owner: Owner,
}

#[derive(Deserialize, Extractable)]
struct Owner {
    name: String,
}

fn main() {}
