//! A type for the tests, and a value of it.

use extract::{Extractable, Rejection};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An invoice, as printed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Extractable)]
#[extract(rule = total_is_the_sum)]
pub(super) struct Invoice {
    /// Number printed at the top right.
    #[extract(pattern = r"^INV-\d{4}$", example = "INV-2041")]
    pub(super) number: String,
    #[extract(one_of = ["EUR", "USD", "GBP"])]
    pub(super) currency: String,
    #[extract(length(min = 1))]
    pub(super) lines: Vec<Line>,
    #[extract(range(min = 0.0), check = has_two_decimals, example = 19.0)]
    pub(super) total: f64,
    /// Remarks by hand, if there are any.
    pub(super) remarks: Option<String>,
}

/// One position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Extractable)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line {
    #[extract(length(min = 1, max = 80))]
    pub(super) description: String,
    #[extract(range(min = 1), example = 2)]
    pub(super) quantity: u32,
    #[extract(example = 9.5, check = has_two_decimals)]
    pub(super) unit_price: f64,
    pub(super) kind: Kind,
}

/// What is sold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Extractable)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Goods,
    Service,
}

fn total_is_the_sum(invoice: &Invoice) -> Result<(), Rejection> {
    let sum: f64 = invoice.lines.iter().map(|line| f64::from(line.quantity) * line.unit_price).sum();
    if (sum - invoice.total).abs() < 0.005 {
        return Ok(());
    }
    let rejection = Rejection::new("the total is not the sum of the lines").at("total");
    Err(rejection.code("WRONG_SUM").expected(sum).actual(invoice.total))
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "a check takes a reference")]
fn has_two_decimals(amount: &f64) -> Result<(), String> {
    let cents = amount * 100.0;
    if (cents - cents.round()).abs() < 1e-6 {
        Ok(())
    } else {
        Err(format!("{amount} has more than two decimals"))
    }
}

/// A valid reply.
pub(super) fn good() -> Value {
    json!({
        "number": "INV-0007",
        "currency": "EUR",
        "lines": [{"description": "Chair", "quantity": 2, "unitPrice": 45.5, "kind": "goods"}],
        "total": 91.0,
    })
}
