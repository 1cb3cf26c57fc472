use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Line {
    #[extract(minimum = 1)]
    quantity: u8,
}

#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(flatten)]
    line: Line,
}

fn main() {}
