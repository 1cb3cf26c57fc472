use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Country {
    #[extract(pattern = "^[[:upper:]]{2}$")]
    code: String,
}

fn main() {}
