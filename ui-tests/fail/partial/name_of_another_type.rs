struct OrderPartial;

#[derive(serde::Deserialize, extract::Extractable)]
#[extract(partial)]
struct Order {
    number: String,
}

fn main() {}
