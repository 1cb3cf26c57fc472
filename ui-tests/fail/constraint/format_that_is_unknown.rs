use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(format = "datetime")]
    value: String,
}

fn main() {}
