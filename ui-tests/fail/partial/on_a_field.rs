#[derive(serde::Deserialize, extract::Extractable)]
struct Order {
    #[extract(partial)]
    lines: Vec<String>,
}

fn main() {}
