#[derive(serde::Deserialize, extract::Extractable)]
#[extract(partial, partial)]
struct Order {
    number: String,
}

fn main() {}
