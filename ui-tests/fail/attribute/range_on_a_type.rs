use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[extract(range(min = 1))]
struct Order {
    value: u8,
}

fn main() {}
