use extract::Extractable;
use serde::Deserialize;

fn read<'de, D: serde::Deserializer<'de>>(_: D) -> Result<u8, D::Error> {
    Ok(1)
}

#[derive(Deserialize, Extractable)]
enum Order {
    #[serde(deserialize_with = "read")]
    A(u8),
}

fn main() {}
