use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Patient {
    #[extract(merge = by_date)]
    name: String,
}

fn main() {}
