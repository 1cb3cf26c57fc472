use extract::Extractable;
use serde::Deserialize;

fn sum() -> Result<(), String> {
    Ok(())
}

#[derive(Deserialize, Extractable)]
#[extract(rule = sum)]
struct Order {
    value: u8,
}

fn main() {}
