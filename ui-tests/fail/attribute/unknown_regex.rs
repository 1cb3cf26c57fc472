use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(regex = "a")]
    value: String,
}

fn main() {}
