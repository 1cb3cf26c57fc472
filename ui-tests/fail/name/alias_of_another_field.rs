use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    a: u8,
    #[serde(alias = "a")]
    b: u8,
}

fn main() {}
