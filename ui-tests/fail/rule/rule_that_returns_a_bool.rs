use extract::Extractable;
use serde::Deserialize;

fn is_sorted(order: &Order) -> bool {
    order.parts.is_sorted()
}

#[derive(Deserialize, Extractable)]
#[extract(rule = is_sorted)]
struct Order {
    parts: Vec<String>,
}

fn main() {}
