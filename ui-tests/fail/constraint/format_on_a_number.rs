use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(format = "date")]
    value: u8,
}

fn main() {}
