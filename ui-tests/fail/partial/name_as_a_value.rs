#[derive(serde::Deserialize, extract::Extractable)]
#[extract(partial = Draft)]
struct Order {
    number: String,
}

fn main() {}
