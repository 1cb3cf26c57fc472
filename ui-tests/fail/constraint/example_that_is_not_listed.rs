use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(one_of = ["a", "b"], example = "c")]
    value: Option<String>,
}

fn main() {}
