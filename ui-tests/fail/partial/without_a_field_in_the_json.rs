#[derive(serde::Deserialize, extract::Extractable)]
#[extract(partial)]
struct Order {
    #[serde(skip)]
    cache: u8,
}

fn main() {}
