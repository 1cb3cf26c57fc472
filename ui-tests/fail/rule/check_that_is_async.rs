use extract::Extractable;
use serde::Deserialize;

async fn is_known(part: &str) -> Result<(), String> {
    Err(part.to_string())
}

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(check = is_known)]
    part: String,
}

fn main() {}
