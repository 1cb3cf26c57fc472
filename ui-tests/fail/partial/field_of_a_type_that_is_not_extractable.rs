#[derive(serde::Deserialize)]
struct Line {
    what: String,
}

#[derive(serde::Deserialize, extract::Extractable)]
#[extract(partial)]
struct Order {
    lines: Vec<Line>,
}

fn main() {}
