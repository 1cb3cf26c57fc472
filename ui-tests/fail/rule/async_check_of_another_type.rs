use extract::Extractable;
use serde::Deserialize;

async fn is_known(part: &u8) -> Result<(), String> {
    Err(part.to_string())
}

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(async_check = is_known)]
    part: String,
}

fn main() {}
