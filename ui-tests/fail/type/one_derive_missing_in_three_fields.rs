use std::collections::HashMap;

use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize)]
struct Line {
    part: String,
}

#[derive(Deserialize, Extractable)]
struct Order {
    first: Line,
    #[extract(length(min = 1))]
    more: Vec<Option<Line>>,
    by_name: HashMap<String, (u8, Line)>,
}

fn main() {}
