use extract::Extractable;
use serde::Deserialize;

async fn is_known(part: &str) -> bool {
    part.is_empty()
}

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(async_check = is_known)]
    part: String,
}

fn main() {}
