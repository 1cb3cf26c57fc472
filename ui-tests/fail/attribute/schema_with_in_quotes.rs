use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(schema_with = "schema")]
    value: u8,
}

fn main() {}
