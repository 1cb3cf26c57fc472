use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize)]
struct Item {
    name: String,
}

#[derive(Deserialize, Extractable)]
struct Order {
    item: Item,
}

fn main() {}
