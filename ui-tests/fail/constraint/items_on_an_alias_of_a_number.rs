use extract::Extractable;
use serde::Deserialize;

type Size = u8;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(items(range(min = 1)))]
    value: Size,
}

fn main() {}
