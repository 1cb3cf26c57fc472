use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[extract(rule = sum)]
struct Order {
    value: u8,
}

fn main() {}
