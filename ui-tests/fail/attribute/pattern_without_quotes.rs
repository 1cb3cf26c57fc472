use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(pattern = 3)]
    value: String,
}

fn main() {}
