use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[serde(deny_unknown_fields)]
struct Order {
    #[serde(flatten)]
    inner: Inner,
}

#[derive(Deserialize, Extractable)]
struct Inner {
    value: u8,
}

fn main() {}
