//! Types for the tests, and replies about them.

use extract::{Extractable, Rejection};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An invoice, as printed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Extractable)]
#[extract(rule = total_is_the_sum)]
pub(crate) struct Invoice {
    /// Number printed at the top right.
    #[extract(pattern = r"^INV-\d{4}$", example = "INV-2041")]
    pub(crate) number: String,
    #[extract(one_of = ["EUR", "USD", "GBP"])]
    pub(crate) currency: String,
    #[extract(length(min = 1))]
    pub(crate) lines: Vec<Line>,
    #[extract(range(min = 0.0), check = has_two_decimals, example = 19.0)]
    pub(crate) total: f64,
    /// Remarks by hand, if there are any.
    pub(crate) remarks: Option<String>,
}

/// One position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Extractable)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Line {
    #[extract(length(min = 1, max = 80))]
    pub(crate) description: String,
    #[extract(range(min = 1), example = 2)]
    pub(crate) quantity: u32,
    #[extract(example = 9.5, check = has_two_decimals)]
    pub(crate) unit_price: f64,
    pub(crate) kind: Kind,
}

/// What is sold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Extractable)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
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
pub(crate) fn good() -> Value {
    json!({
        "number": "INV-0007",
        "currency": "EUR",
        "lines": [{"description": "Chair", "quantity": 2, "unitPrice": 45.5, "kind": "goods"}],
        "total": 91.0,
    })
}

/// [`good`] with the value at `pointer` replaced.
pub(crate) fn changed(pointer: &str, value: Value) -> Value {
    with_changes(&[(pointer, value)])
}

/// [`good`] with the value at each pointer replaced.
pub(crate) fn with_changes(changes: &[(&str, Value)]) -> Value {
    let mut invoice = good();
    for (pointer, value) in changes {
        *invoice.pointer_mut(pointer).expect("the pointer points into `good`") = value.clone();
    }
    invoice
}

/// The text of [`changed`].
pub(crate) fn with(pointer: &str, value: Value) -> String {
    changed(pointer, value).to_string()
}
