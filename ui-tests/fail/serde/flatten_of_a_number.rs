use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(flatten)]
    value: u8,
}

fn main() {}
