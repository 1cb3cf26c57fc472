use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(minimum = 1)]
    value: u8,
}

fn main() {}
