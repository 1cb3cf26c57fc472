use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Ward {
    #[extract(items(key))]
    patients: Vec<String>,
}

fn main() {}
