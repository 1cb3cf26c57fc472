use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Accounts {
    #[extract(items(sensitive))]
    ibans: Vec<String>,
}

fn main() {}
