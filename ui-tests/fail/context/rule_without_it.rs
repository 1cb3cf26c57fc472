use extract::Extractable;
use serde::Deserialize;

struct Catalogue;

fn is_known(_: &Line) -> Result<(), String> {
    Ok(())
}

#[derive(Deserialize, Extractable)]
#[extract(context = Catalogue, rule = is_known)]
struct Line {
    part: String,
}

fn main() {}
