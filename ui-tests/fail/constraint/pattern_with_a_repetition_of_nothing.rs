use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(items(pattern = "*"))]
    value: Vec<String>,
}

fn main() {}
