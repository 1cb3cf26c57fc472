use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(range(min = 1))]
    value: Option<String>,
}

fn main() {}
