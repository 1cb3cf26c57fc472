use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(one_of = [1, 20], range(max = 10))]
    value: u8,
}

fn main() {}
