use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(multiple_of = 5)]
    value: String,
}

fn main() {}
