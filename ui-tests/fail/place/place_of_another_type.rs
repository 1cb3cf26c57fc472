use extract::{Extractable, Extraction, at};
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    status: String,
}

#[derive(Deserialize, Extractable)]
struct Ticket {
    status: String,
}

fn narrowed(extraction: Extraction<'_, Order>) -> Extraction<'_, Order> {
    extraction.one_of(at!(Ticket, status), ["open", "closed"])
}

fn main() {}
