use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
enum Never {
    #[serde(skip)]
    A,
}

fn main() {}
