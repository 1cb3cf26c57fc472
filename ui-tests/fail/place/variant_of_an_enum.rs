use extract::{Extractable, at};
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    payment: Payment,
}

#[derive(Deserialize, Extractable)]
enum Payment {
    Card { number: String },
}

fn place() -> impl Sized {
    at!(Order, payment.Card.number)
}

fn main() {}
