use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(flatten)]
    #[extract(title = "Address", description = "Where it goes.")]
    address: Address,
}

#[derive(Deserialize, Extractable)]
struct Address {
    town: String,
}

fn main() {}
