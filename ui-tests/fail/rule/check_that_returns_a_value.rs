use extract::Extractable;
use serde::Deserialize;

fn doubled(value: &u8) -> Result<u8, String> {
    Ok(value * 2)
}

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(check = doubled)]
    value: u8,
}

fn main() {}
