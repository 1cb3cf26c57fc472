use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    code: std::num::Wrapping<u8>,
}

fn main() {}
