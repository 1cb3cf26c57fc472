use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(one_of = [1, 2])]
    value: String,
}

fn main() {}
