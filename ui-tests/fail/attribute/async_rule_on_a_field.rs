use extract::Extractable;
use serde::Deserialize;


#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(async_rule = is_known)]
    part: String,
}

fn main() {}
