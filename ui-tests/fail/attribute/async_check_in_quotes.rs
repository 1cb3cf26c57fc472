use extract::Extractable;
use serde::Deserialize;


#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(async_check = "is_known")]
    part: String,
}

fn main() {}
