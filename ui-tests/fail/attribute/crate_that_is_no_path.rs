use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[extract(crate = 3)]
struct Order {
    value: u8,
}

fn main() {}
