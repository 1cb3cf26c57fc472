use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[extract(rulle = check)]
struct Order {
    value: u8,
}

fn main() {}
