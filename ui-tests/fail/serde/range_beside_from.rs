use extract::Extractable;
use serde::Deserialize;

impl From<u8> for Order {
    fn from(value: u8) -> Self {
        Self { value }
    }
}

#[derive(Deserialize, Extractable)]
#[serde(from = "u8")]
struct Order {
    #[extract(range(min = 1))]
    value: u8,
}

fn main() {}
