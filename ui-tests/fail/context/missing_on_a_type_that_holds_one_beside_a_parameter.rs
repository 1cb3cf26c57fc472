use extract::Extractable;
use serde::Deserialize;

struct Catalogue;

#[derive(Deserialize, Extractable)]
#[extract(context = Catalogue)]
struct Line {
    part: String,
}

#[derive(Deserialize, Extractable)]
struct Order<T> {
    pairs: Vec<(T, Line)>,
}

fn main() {}
