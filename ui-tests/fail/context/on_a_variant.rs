use extract::Extractable;
use serde::Deserialize;

struct Catalogue;

#[derive(Deserialize, Extractable)]
enum Line {
    #[extract(context = Catalogue)]
    Part(String),
}

fn main() {}
