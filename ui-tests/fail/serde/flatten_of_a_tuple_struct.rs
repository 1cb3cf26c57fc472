use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Point(u8, u8);

#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(flatten)]
    at: Point,
}

fn main() {}
