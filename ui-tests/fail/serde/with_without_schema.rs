use extract::Extractable;
use serde::Deserialize;

mod in_a_text {
    pub fn deserialize<'de, D: serde::Deserializer<'de>>(_: D) -> Result<u8, D::Error> {
        Ok(1)
    }
}

#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(with = "in_a_text")]
    value: u8,
}

fn main() {}
