use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(defualt)]
    value: u8,
}

fn main() {}
