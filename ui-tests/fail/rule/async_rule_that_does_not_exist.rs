use extract::Extractable;
use serde::Deserialize;


#[derive(Deserialize, Extractable)]
#[extract(async_rule = is_known)]
struct Order {
    part: String,
}

fn main() {}
