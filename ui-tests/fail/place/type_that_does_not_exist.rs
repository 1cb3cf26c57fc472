use extract::{Extractable, Path, at};
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    lines: Vec<Line>,
}

#[derive(Deserialize, Extractable)]
struct Line {
    qty: u8,
}

fn place(_: &Order) -> Path {
    at!(crate::OrderLine, qty)
}

fn main() {}
