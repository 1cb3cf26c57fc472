use extract::Extractable;
use serde::Deserialize;

fn not_zero(value: u8) -> Result<(), String> {
    (value != 0).then_some(()).ok_or_else(String::new)
}

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(check = not_zero)]
    value: u8,
}

fn main() {}
