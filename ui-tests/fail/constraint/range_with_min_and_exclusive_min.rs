use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(range(min = 1, exclusive_min = 3))]
    value: u8,
}

fn main() {}
