use extract::Extractable;
use serde::Deserialize;

struct Catalogue;

#[derive(Deserialize, Extractable)]
#[extract(context = Catalogue, context = Catalogue)]
struct Line {
    part: String,
}

fn main() {}
