use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(check = not_zero)]
    value: u8,
}

fn main() {}
