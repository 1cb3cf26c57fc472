use extract::Extractable;
use serde::Deserialize;

struct Catalogue;

#[derive(Deserialize, Extractable)]
#[extract(context = Catalogue)]
struct Line {
    part: String,
}

struct Prices;

#[derive(Deserialize, Extractable)]
#[extract(context = Prices)]
struct Order {
    line: Option<Line>,
}

fn main() {}
