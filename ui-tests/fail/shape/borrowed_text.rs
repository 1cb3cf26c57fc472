use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order<'a> {
    name: &'a str,
}

fn main() {}
