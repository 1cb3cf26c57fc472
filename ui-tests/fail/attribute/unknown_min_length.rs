use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(min_length = 1)]
    value: String,
}

fn main() {}
