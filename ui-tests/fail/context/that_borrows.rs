use extract::Extractable;
use serde::Deserialize;

struct Catalogue<'a>(&'a [String]);

#[derive(Deserialize, Extractable)]
#[extract(context = Catalogue<'a>)]
struct Line {
    part: String,
}

#[derive(Deserialize, Extractable)]
#[extract(context = Vec<Catalogue<'_>>)]
struct Order {
    part: String,
}

fn main() {}
