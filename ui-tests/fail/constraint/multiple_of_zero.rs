use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(multiple_of = 0)]
    value: u8,
}

fn main() {}
