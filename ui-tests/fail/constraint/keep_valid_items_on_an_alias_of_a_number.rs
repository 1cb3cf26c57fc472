use extract::Extractable;
use serde::Deserialize;

type Size = u8;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(keep_valid_items)]
    value: Size,
}

fn main() {}
