#[derive(serde::Deserialize, extract::Extractable)]
#[extract(partials)]
struct Order {
    number: String,
}

fn main() {}
