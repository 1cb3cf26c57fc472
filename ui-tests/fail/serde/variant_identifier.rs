use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[serde(variant_identifier)]
enum Name {
    A,
    B,
}

fn main() {}
