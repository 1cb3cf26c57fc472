use extract::Extractable;
use serde::Deserialize;


#[derive(Deserialize, Extractable)]
#[extract(async_check = is_known)]
struct Order {
    part: String,
}

fn main() {}
