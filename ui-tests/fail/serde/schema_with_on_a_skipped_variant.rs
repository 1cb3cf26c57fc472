use extract::Extractable;
use serde::Deserialize;

fn schema(_: &mut extract::schema::SchemaGenerator) -> extract::schema::Schema {
    extract::schema::json_schema!({ "type": "string" })
}

#[derive(Deserialize, Extractable)]
enum Order {
    A,
    #[serde(skip)]
    #[extract(schema_with = schema)]
    B(u8),
}

fn main() {}
