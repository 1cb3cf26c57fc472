use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Choice {
    A {
        #[serde(alias = "kind")]
        a: u8,
    },
}

fn main() {}
