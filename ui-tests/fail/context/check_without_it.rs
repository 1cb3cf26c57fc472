use extract::Extractable;
use serde::Deserialize;

struct Catalogue;

fn is_known(part: &str) -> Result<(), String> {
    Err(part.to_owned())
}

#[derive(Deserialize, Extractable)]
#[extract(context = Catalogue)]
struct Line {
    #[extract(check = is_known)]
    part: String,
}

fn main() {}
