use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(range(min = "a"))]
    value: u8,
}

fn main() {}
