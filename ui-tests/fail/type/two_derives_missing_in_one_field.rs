use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize)]
struct Part {
    name: String,
}

#[derive(Deserialize)]
struct Line {
    count: u8,
}

#[derive(Deserialize, Extractable)]
struct Order {
    lines: Vec<(Part, Line)>,
}

fn main() {}
