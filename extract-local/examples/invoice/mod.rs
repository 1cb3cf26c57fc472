//! The invoice of the examples, and the letter it is in.

use extract::{Extractable, Rejection};
use serde::{Deserialize, Serialize};

pub(crate) const LETTER: &str = "\
From: Nordholz Office Supplies, Hamburg
Invoice INV-3107, 4 March 2026

Dear Ms Okafor, thank you for your order. We have delivered
  - 6 desk lamps \"Lumo\" at 39.90 euros each,
  - 2 oak desks at 412.50 euros each,
  - 3 hours of assembly in your rooms, at 58 euros an hour.
Kindly transfer the total of 1,238.40 euros within 14 days.";

/// An invoice, as printed.
#[derive(Debug, Serialize, Deserialize, Extractable)]
#[extract(rule = total_is_the_sum)]
pub(crate) struct Invoice {
    /// Number of the invoice.
    #[extract(pattern = r"^INV-\d{4}$", example = "INV-0042")]
    number: String,
    /// Who has to pay.
    #[extract(length(min = 1), example = "Mr Larsen")]
    customer: String,
    #[extract(one_of = ["EUR", "USD", "GBP"])]
    currency: String,
    #[extract(length(min = 1))]
    lines: Vec<Line>,
    /// What has to be paid in all.
    #[extract(range(min = 0.0), example = 25.0)]
    total: f64,
}

/// One position of an invoice.
#[derive(Debug, Serialize, Deserialize, Extractable)]
pub(crate) struct Line {
    /// What it is, without quantity and price.
    #[extract(length(min = 1), example = "paper")]
    description: String,
    kind: Kind,
    /// Pieces, or hours of a service.
    #[extract(range(min = 1), example = 10)]
    quantity: u32,
    /// Price of one piece or hour.
    #[extract(range(min = 0.0), example = 2.5)]
    unit_price: f64,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// Something that is delivered.
    Goods,
    /// Somebody's work.
    Service,
}

fn total_is_the_sum(invoice: &Invoice) -> Result<(), Rejection> {
    let sum: f64 = invoice.lines.iter().map(|line| f64::from(line.quantity) * line.unit_price).sum();
    if (sum - invoice.total).abs() < 0.005 {
        return Ok(());
    }
    // Does not name the right sum: a model that is told the sum copies it into `total`.
    Err(Rejection::new(format!(
        "quantity times unit_price of these lines makes {sum:.2}, but the total is {:.2}; \
         read each quantity and unit_price in the text again",
        invoice.total
    ))
    .at("lines"))
}
