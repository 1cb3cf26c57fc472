use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order<T> {
    #[serde(skip_deserialising)]
    value: Option<T>,
}

fn main() {}
