use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Patient {
    #[extract(merge = all)]
    name: String,
}

fn main() {}
