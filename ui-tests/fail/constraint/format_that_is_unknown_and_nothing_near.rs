use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(format = "zzz")]
    value: String,
}

fn main() {}
