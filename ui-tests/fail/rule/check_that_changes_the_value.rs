use extract::Extractable;
use serde::Deserialize;

fn trim(value: &mut String) -> Result<(), String> {
    value.truncate(1);
    Ok(())
}

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(check = trim)]
    value: String,
}

fn main() {}
