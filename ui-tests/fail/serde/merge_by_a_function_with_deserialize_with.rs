use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Patient {
    #[extract(merge = f64::total_cmp, schema_with = weight_schema)]
    #[serde(deserialize_with = "weight")]
    weight: f64,
}

fn weight_schema(generator: &mut extract::schema::SchemaGenerator) -> extract::schema::Schema {
    generator.subschema_for::<String>()
}

fn weight<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
}

fn main() {}
