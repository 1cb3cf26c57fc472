use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Number(u8);

#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(flatten)]
    number: Number,
}

fn main() {}
