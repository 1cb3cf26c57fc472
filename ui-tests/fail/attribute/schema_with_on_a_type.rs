use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[extract(schema_with = schema)]
struct Order {
    value: u8,
}

fn main() {}
