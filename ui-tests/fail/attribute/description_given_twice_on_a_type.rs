use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[extract(description = "a")]
#[extract(description = "b")]
struct Order {
    value: u8,
}

fn main() {}
