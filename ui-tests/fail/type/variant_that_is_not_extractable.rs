use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize)]
struct Item {
    name: String,
}

#[derive(Deserialize, Extractable)]
enum Order {
    A(Item),
}

fn main() {}
