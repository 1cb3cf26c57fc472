use extract::Extractable;
use serde::Deserialize;

async fn is_known(part: &Part) -> Result<(), String> {
    Err(part.0.get().to_string())
}

#[derive(Deserialize, Extractable)]
struct Part(#[extract(schema_with = number)] std::cell::Cell<u8>);

fn number(_: &mut extract::schema::SchemaGenerator) -> extract::schema::Schema {
    extract::schema::json_schema!({ "type": "integer", "maximum": 255, "minimum": 0 })
}

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(async_check = is_known)]
    part: Part,
}

fn main() {}
