use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(length(min = -1))]
    value: String,
}

fn main() {}
