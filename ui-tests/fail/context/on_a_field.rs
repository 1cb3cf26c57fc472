use extract::Extractable;
use serde::Deserialize;

struct Catalogue;

#[derive(Deserialize, Extractable)]
struct Line {
    #[extract(context = Catalogue)]
    part: String,
}

fn main() {}
