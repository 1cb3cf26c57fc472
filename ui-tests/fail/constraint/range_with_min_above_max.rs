use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(range(min = 5, max = 3))]
    value: u8,
}

fn main() {}
