use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(flatten)]
    pair: Option<(u8, u8)>,
}

fn main() {}
