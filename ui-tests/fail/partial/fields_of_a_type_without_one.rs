use extract::partials::Partial;

#[derive(serde::Deserialize, extract::Extractable)]
struct Order {
    number: String,
}

fn show(partial: &Partial<Order>) {
    let _ = partial.fields();
}

fn main() {}
