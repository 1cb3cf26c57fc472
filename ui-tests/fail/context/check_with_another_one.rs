use extract::Extractable;
use serde::Deserialize;

struct Catalogue;

struct Prices;

fn is_known(part: &str, _: &Prices) -> Result<(), String> {
    Err(part.to_owned())
}

#[derive(Deserialize, Extractable)]
#[extract(context = Catalogue)]
struct Line {
    #[extract(check = is_known)]
    part: String,
}

fn main() {}
