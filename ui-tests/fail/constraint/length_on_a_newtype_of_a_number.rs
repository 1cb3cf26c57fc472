use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Age(u8);

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(length(min = 1))]
    age: Age,
}

fn main() {}
