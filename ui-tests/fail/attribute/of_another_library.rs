use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(required)]
    number: String,
    #[extract(optional)]
    remark: String,
    #[extract(default)]
    lines: Vec<String>,
    #[extract(range(0..5))]
    urgency: u8,
}

fn main() {}
