use extract::Extractable;
use serde::Deserialize;

mod other {
    pub struct Order {
        pub value: u8,
    }
}

#[derive(Deserialize, Extractable)]
#[serde(remote = "other::Order")]
struct Order {
    value: u8,
}

fn main() {}
