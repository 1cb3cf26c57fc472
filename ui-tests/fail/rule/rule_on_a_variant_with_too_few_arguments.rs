use extract::Extractable;
use serde::Deserialize;

fn ordered(a: &u8) -> Result<(), String> {
    (*a == 0).then_some(()).ok_or_else(String::new)
}

#[derive(Deserialize, Extractable)]
enum Order {
    #[extract(rule = ordered)]
    A { a: u8, b: u8 },
}

fn main() {}
