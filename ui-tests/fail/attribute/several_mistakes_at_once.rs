use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[extract(rulle = check)]
#[serde(deny_unknown_fields)]
struct Order {
    #[extract(minimum = 1, range(min = 3, mix = 4))]
    a: u8,
    #[extract(pattern = , length(min = "x"))]
    b: String,
    #[serde(skip)]
    #[extract(range(min = 1))]
    c: u8,
    #[serde(rename = "a")]
    d: u8,
}

fn main() {}
