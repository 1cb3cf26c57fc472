use std::collections::BTreeMap;

use extract::Extractable;
use serde::Deserialize;

#[derive(Deserialize, Extractable)]
#[extract(rule = total_is_the_sum)]
struct Invoice {
    #[extract(pattern = r"^INV-\d{4}$", example = "INV-2041")]
    number: String,
    #[extract(one_of = ["EUR", "USD", "GBP"])]
    currency: Option<String>,
    #[extract(length(min = 1))]
    lines: Vec<Line>,
    #[extract(range(min = 0.0), check = has_two_decimals)]
    total: f64,
    notes: BTreeMap<String, Box<Line>>,
}

#[derive(Deserialize, Extractable)]
struct Line {
    quantity: u32,
    price: f64,
}

fn total_is_the_sum(invoice: &Invoice) -> Result<(), extract::Rejection> {
    let _ = (&invoice.number, &invoice.currency, &invoice.notes);
    let sum: f64 = invoice.lines.iter().map(|line| f64::from(line.quantity) * line.price).sum();
    if (sum - invoice.total).abs() < 0.005 { Ok(()) } else { Err("the total is not the sum".into()) }
}

fn has_two_decimals(amount: &f64) -> Result<(), String> {
    if (amount * 100.0).fract() == 0.0 { Ok(()) } else { Err(format!("{amount} has more than two decimals")) }
}

fn main() {}
