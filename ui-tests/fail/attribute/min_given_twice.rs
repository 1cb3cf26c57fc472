use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(range(min = 1, min = 2))]
    value: u8,
}

fn main() {}
