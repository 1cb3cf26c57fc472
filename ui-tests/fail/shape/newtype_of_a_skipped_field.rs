use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order(#[serde(skip)] u8);

fn main() {}
