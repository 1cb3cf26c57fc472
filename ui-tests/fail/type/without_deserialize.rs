use extract::Extractable;

#[derive(Extractable)]
struct Order {
    value: u8,
}

fn main() {}
