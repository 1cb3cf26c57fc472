use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
enum Choice {
    A,
    #[serde(skip)]
    #[extract(description = "b")]
    B,
}

fn main() {}
