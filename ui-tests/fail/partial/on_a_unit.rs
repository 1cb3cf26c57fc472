#[derive(serde::Deserialize, extract::Extractable)]
#[extract(partial)]
struct Nothing;

fn main() {}
