use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
enum Order {
    #[serde(xyz = "a")]
    A,
}

fn main() {}
