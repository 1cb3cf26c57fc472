use extract::Extractable;
use serde::Deserialize;

const LEAST: &str = "1";

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(range(min = LEAST))]
    value: u8,
}

fn main() {}
