use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(rule = some_function)]
    value: u8,
}

fn main() {}
