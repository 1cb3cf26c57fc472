use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[serde(tag = "kind", content = "kind")]
enum Order {
    A(u8),
}

fn main() {}
