use extract::Extractable;
use serde::Deserialize;

fn not_zero(value: &u8) -> bool {
    *value != 0
}

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(check = not_zero)]
    value: u8,
}

fn main() {}
