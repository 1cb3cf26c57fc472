use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
struct Order {
    #[extract(pattern = r"^INV-\d{4}$", example = "INV-20")]
    value: String,
}

fn main() {}
