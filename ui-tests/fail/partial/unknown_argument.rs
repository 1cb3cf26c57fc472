#[derive(serde::Deserialize, extract::Extractable)]
#[extract(partial(nam = Draft))]
struct Order {
    number: String,
}

fn main() {}
