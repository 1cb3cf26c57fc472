use extract::Extractable;
use serde::Deserialize;

type Size = u8;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(length(min = 1))]
    value: Size,
}

fn main() {}
