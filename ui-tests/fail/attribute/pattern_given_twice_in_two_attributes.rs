use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(pattern = "a")]
    #[extract(pattern = "b")]
    value: String,
}

fn main() {}
