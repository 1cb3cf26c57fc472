use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize)]
struct Item {
    name: String,
}

#[derive(Deserialize, Extractable)]
struct Page<T> {
    items: Vec<T>,
}

#[derive(Deserialize, Extractable)]
struct Order {
    page: Page<Item>,
}

fn main() {}
