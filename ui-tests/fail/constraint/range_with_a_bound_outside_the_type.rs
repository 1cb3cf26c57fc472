use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(range(max = 300))]
    value: u8,
}

fn main() {}
