use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(unique)]
    value: std::collections::BTreeMap<String, u8>,
}

fn main() {}
