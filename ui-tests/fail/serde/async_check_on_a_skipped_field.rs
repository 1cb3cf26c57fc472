use extract::Extractable;
use serde::Deserialize;


#[derive(Deserialize, Extractable)]
struct Order {
    #[serde(skip)]
    #[extract(async_check = is_known)]
    part: String,
}

fn main() {}
