use extract::Extractable;
use serde::Deserialize;

fn sum(order: &Order, limit: &u8) -> Result<(), String> {
    (order.value < *limit).then_some(()).ok_or_else(String::new)
}

#[derive(Deserialize, Extractable)]
#[extract(rule = sum)]
struct Order {
    value: u8,
}

fn main() {}
