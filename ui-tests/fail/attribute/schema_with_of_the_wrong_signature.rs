use extract::Extractable;
use serde::Deserialize;

fn schema() -> extract::schema::Schema {
    extract::schema::json_schema!({ "type": "string" })
}

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(schema_with = schema)]
    value: u8,
}

fn main() {}
