use extract::Extractable;
use serde::Deserialize;

struct Catalogue;

#[derive(Deserialize, Extractable)]
#[extract(context)]
struct Line {
    part: String,
}

fn main() {}
