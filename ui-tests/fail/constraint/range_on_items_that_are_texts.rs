use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(items(range(min = 1)))]
    value: Vec<String>,
}

fn main() {}
