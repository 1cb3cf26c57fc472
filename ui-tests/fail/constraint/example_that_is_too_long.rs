use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(length(max = 3), example = "abcd")]
    value: String,
}

fn main() {}
