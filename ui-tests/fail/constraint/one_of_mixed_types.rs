use extract::Extractable;
use serde::Deserialize;

type Label = String;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(one_of = ["a", 1])]
    value: Label,
}

fn main() {}
