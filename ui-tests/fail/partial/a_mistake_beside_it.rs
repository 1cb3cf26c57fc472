use extract::partials::{Partial, Progress};

#[derive(serde::Deserialize, extract::Extractable)]
#[extract(partial)]
struct Order {
    #[extract(minimum = 1)]
    number: u8,
}

fn show(partial: &Partial<Order>) -> Progress<u8> {
    let OrderPartial { number } = partial.fields();
    number
}

fn main() {}
