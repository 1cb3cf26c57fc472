use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(example = 1, example = 2)]
    value: u8,
}

fn main() {}
