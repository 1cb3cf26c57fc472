use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[extract(check = some_function)]
struct Order {
    value: u8,
}

fn main() {}
