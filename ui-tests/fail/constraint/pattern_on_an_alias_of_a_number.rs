use extract::Extractable;
use serde::Deserialize;

type Size = u8;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(pattern = "a")]
    value: Size,
}

fn main() {}
