use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
enum Never {}

fn main() {}
