use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(keys(length(min = 1)))]
    value: Vec<u8>,
}

fn main() {}
