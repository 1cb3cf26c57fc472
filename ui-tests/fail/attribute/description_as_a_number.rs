use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(description = 3)]
    value: u8,
}

fn main() {}
