use extract::Extractable;
use serde::Deserialize;

fn read<'de, D: serde::Deserializer<'de>>(_: D) -> Result<u8, D::Error> {
    Ok(1)
}

fn schema(_: &mut extract::schema::SchemaGenerator) -> extract::schema::Schema {
    extract::schema::json_schema!({ "type": "string" })
}

#[derive(Deserialize, Extractable)]
enum Order {
    #[serde(deserialize_with = "read")]
    #[extract(schema_with = schema)]
    A(#[extract(range(min = 1))] u8),
}

fn main() {}
