use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(crate = extract)]
    value: u8,
}

fn main() {}
