use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(one_of = [])]
    value: String,
}

fn main() {}
