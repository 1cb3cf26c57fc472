use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(pattern = "^ab(c$")]
    value: String,
}

fn main() {}
