use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(unique = true)]
    value: Vec<u8>,
}

fn main() {}
