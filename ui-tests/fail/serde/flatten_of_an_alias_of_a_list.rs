use extract::Extractable;
use serde::Deserialize;

type Lines = Vec<String>;

#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(flatten)]
    lines: Lines,
}

fn main() {}
