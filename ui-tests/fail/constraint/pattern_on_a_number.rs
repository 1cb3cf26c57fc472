use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(pattern = "a")]
    value: u8,
}

fn main() {}
