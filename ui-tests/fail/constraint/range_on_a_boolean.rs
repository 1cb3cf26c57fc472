use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(range(min = 0))]
    value: bool,
}

fn main() {}
