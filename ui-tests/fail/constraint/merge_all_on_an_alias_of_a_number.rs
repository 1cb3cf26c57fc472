use extract::Extractable;
use serde::Deserialize;

type Years = u32;

#[derive(Deserialize, Extractable)]
struct Patient {
    #[extract(merge = all)]
    age: Years,
}

fn main() {}
