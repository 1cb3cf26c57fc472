use extract::Extractable;
use serde::Deserialize;

async fn is_known(part: &str) -> Result<(), String> {
    Err(part.to_string())
}

#[derive(Deserialize, Extractable)]
#[extract(async_rule = is_known)]
struct Order {
    part: String,
}

fn main() {}
