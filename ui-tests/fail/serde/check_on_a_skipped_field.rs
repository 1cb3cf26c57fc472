use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(skip_deserializing)]
    #[extract(check = some_function)]
    value: u8,
}

fn main() {}
