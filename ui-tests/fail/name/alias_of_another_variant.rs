use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
enum Choice {
    A,
    #[serde(alias = "A")]
    B,
}

fn main() {}
