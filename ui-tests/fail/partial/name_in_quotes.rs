#[derive(serde::Deserialize, extract::Extractable)]
#[extract(partial(name = "Draft"))]
struct Order {
    number: String,
}

fn main() {}
