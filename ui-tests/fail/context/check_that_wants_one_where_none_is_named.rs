use extract::Extractable;
use serde::Deserialize;

struct Catalogue;

fn is_known(part: &str, _: &Catalogue) -> Result<(), String> {
    Err(part.to_owned())
}

#[derive(Deserialize, Extractable)]
struct Line {
    #[extract(check = is_known)]
    part: String,
}

fn main() {}
