use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(range(exclusive_min = 3, max = 3))]
    value: u8,
}

fn main() {}
