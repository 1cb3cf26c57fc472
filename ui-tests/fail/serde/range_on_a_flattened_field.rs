use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(flatten)]
    #[extract(length(min = 1))]
    value: std::collections::HashMap<String, u8>,
}

fn main() {}
