use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
enum Choice {
    A,
    #[serde(skip_deserializing)]
    #[extract(rule = some_function)]
    B,
}

fn main() {}
