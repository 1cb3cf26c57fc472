use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    a: u8,
    #[serde(rename = "a")]
    b: u8,
}

fn main() {}
