use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(flatten)]
    value: Vec<String>,
}

fn main() {}
