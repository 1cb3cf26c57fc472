#[derive(serde::Deserialize, extract::Extractable)]
#[extract(partial(name = drafts::Draft))]
struct Order {
    number: String,
}

fn main() {}
