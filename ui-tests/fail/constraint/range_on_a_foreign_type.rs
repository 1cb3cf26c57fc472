use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(range(min = 1.0))]
    value: extract::BySchemars<f64>,
}

fn main() {}
