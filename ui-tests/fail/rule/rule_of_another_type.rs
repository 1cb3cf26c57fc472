use extract::Extractable;
use serde::Deserialize;

fn sum(_: &u8) -> Result<(), String> {
    Ok(())
}

#[derive(Deserialize, Extractable)]
#[extract(rule = sum)]
struct Order {
    value: u8,
}

fn main() {}
