use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(items(rnge(min = 1)))]
    value: Vec<u8>,
}

fn main() {}
