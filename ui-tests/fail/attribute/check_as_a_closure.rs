use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(check = |value| true)]
    value: u8,
}

fn main() {}
