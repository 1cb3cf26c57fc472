use extract::Extractable;
use serde::Deserialize;

type Label = String;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(range(min = 1))]
    value: Label,
}

fn main() {}
