use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Account {
    #[serde(flatten)]
    #[extract(keep_valid_items)]
    owner: Owner,
}

#[derive(Deserialize, Extractable)]
struct Owner {
    names: Vec<String>,
}

fn main() {}
