use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Item {
    name: String,
}

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(range(min = 1))]
    item: Item,
}

fn main() {}
