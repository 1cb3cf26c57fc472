use extract::Extractable;
use serde::Deserialize;

type Sizes = Vec<u8>;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(keys(length(min = 1)))]
    value: Sizes,
}

fn main() {}
