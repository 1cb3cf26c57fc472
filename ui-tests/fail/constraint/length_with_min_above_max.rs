use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(length(min = 5, max = 3))]
    value: String,
}

fn main() {}
