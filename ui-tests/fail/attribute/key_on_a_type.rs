use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[extract(key)]
struct Patient {
    name: String,
}

fn main() {}
