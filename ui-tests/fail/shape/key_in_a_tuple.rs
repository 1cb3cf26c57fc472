use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Dose(#[extract(key)] String, f64);

fn main() {}
