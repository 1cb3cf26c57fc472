use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[serde(rename_all = "camelcase")]
struct Order {
    value: u8,
}

fn main() {}
