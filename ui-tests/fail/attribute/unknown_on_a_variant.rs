use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
enum Choice {
    #[extract(describe = "a")]
    A,
}

fn main() {}
