use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[serde(rename_all = "camelCase")]
struct Order {
    a_b: u8,
    #[serde(rename = "aB")]
    c: u8,
}

fn main() {}
