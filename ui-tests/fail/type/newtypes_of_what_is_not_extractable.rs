use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize)]
struct Line {
    part: String,
}

#[derive(Deserialize, Extractable)]
struct First(Line);

#[derive(Deserialize, Extractable)]
#[serde(transparent)]
struct Second {
    line: Line,
}

#[derive(Deserialize, Extractable)]
#[serde(from = "Line")]
struct Third(String);

impl From<Line> for Third {
    fn from(line: Line) -> Self {
        Self(line.part)
    }
}

fn main() {}
