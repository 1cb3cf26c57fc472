use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize)]
struct Line {
    part: String,
}

#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(flatten)]
    line: Line,
}

#[derive(Deserialize, Extractable)]
#[serde(tag = "kind")]
enum Document {
    Order(Order),
    Line(Line),
}

fn main() {}
