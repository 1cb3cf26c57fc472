use extract::Extractable;
use serde::Deserialize;

fn schema(_: &mut extract::schema::SchemaGenerator) -> extract::schema::Schema {
    extract::schema::json_schema!({ "type": "string" })
}

#[derive(Deserialize, Extractable)]
enum Order {
    #[extract(schema_with = schema)]
    A(u8),
}

fn main() {}
