use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Patient {
    #[extract(merge = first, merge = last)]
    name: String,
}

fn main() {}
