use extract::Extractable;
use serde::Deserialize;

trait Prices {}

#[derive(Deserialize, Extractable)]
#[extract(context = dyn Prices)]
struct Line {
    part: String,
}

#[derive(Deserialize, Extractable)]
#[extract(context = [String])]
struct Order {
    part: String,
}

fn main() {}
