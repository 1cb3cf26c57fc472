use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(one_of = ["a"])]
    value: Vec<String>,
}

fn main() {}
