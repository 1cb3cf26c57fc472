use extract::Extractable;
use serde::Deserialize;

struct Silent;

fn sum(order: &Order) -> Result<(), Silent> {
    if order.value == 0 { Err(Silent) } else { Ok(()) }
}

#[derive(Deserialize, Extractable)]
#[extract(rule = sum)]
struct Order {
    value: u8,
}

fn main() {}
