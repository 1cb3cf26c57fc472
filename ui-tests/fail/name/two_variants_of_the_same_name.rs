use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
enum Choice {
    A,
    #[serde(rename = "A")]
    B,
}

fn main() {}
