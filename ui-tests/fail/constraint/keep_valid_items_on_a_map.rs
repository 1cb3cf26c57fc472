use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(keep_valid_items)]
    value: std::collections::BTreeMap<String, u8>,
}

fn main() {}
