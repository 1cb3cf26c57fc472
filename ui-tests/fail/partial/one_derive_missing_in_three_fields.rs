#[derive(serde::Deserialize)]
struct Line {
    what: String,
}

#[derive(serde::Deserialize, extract::Extractable)]
#[extract(partial)]
struct Order {
    first: Line,
    rest: Vec<Line>,
    last: Option<Box<Line>>,
}

fn main() {}
