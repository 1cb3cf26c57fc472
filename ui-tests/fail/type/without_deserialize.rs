use extract::Extractable;

#[derive(serde::Serialize, Extractable)]
struct Order {
    value: u8,
}

fn main() {}
