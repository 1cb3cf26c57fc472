use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    lines: Vec<Line>,
}

#[derive(Deserialize, Extractable)]
struct Line {
    #[serde(defualt)]
    value: u8,
}

fn lines() -> extract::ExtractionResult<Order> {
    Order::from_reply("")
}

fn main() {}
