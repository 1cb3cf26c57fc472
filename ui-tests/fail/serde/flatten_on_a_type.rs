use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[serde(flatten)]
struct Order {
    value: u8,
}

fn main() {}
