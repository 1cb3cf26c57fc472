use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(skip)]
    #[extract(range(min = 1))]
    value: u8,
}

fn main() {}
