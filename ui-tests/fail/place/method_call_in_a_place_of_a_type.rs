use extract::{Extractable, at};
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    lines: Vec<Line>,
    note: Option<Note>,
}

#[derive(Deserialize, Extractable)]
struct Line {
    qty: u8,
}

#[derive(Deserialize, Extractable)]
struct Note {
    text: String,
}

fn place() -> impl Sized {
    at!(Order, lines.first().qty)
}

fn main() {}
