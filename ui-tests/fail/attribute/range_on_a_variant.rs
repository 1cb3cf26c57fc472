use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
enum Choice {
    #[extract(range(min = 1))]
    A(u8),
}

fn main() {}
