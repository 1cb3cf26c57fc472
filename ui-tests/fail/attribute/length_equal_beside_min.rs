use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(length(equal = 3, min = 1))]
    value: String,
}

fn main() {}
