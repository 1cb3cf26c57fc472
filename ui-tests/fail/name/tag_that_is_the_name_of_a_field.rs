use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Order {
    A { kind: u8 },
}

fn main() {}
