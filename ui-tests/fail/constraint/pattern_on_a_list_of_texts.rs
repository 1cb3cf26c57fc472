use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(pattern = "a")]
    value: Vec<String>,
}

fn main() {}
