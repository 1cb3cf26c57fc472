//! The invoice that is asked for: the type of the benchmark `one_attempt`, for every library alike.

use extract::Extractable;
use rstructor::{Instructor, RStructorError};
use serde::{Deserialize, Serialize};

/// An invoice, with the constraints that each library has attributes for.
#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable, Instructor)]
#[extract(rule = total_is_the_sum)]
#[llm(validate = "validate")]
pub struct Invoice {
    #[extract(pattern = r"^INV-\d{4}$")]
    pub number: String,
    #[extract(one_of = ["EUR", "USD", "GBP"])]
    pub currency: String,
    #[extract(length(min = 1))]
    pub lines: Vec<Line>,
    #[extract(range(min = 0.0), example = 1.0)]
    pub total: f64,
    pub remarks: Option<String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable, Instructor)]
pub struct Line {
    #[extract(length(min = 1, max = 80))]
    pub description: String,
    #[extract(range(min = 1))]
    pub quantity: u32,
    #[extract(range(min = 0.0), example = 1.0)]
    pub unit_price: f64,
    pub kind: Kind,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable, Instructor)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Goods,
    Service,
}

fn total_is_the_sum(invoice: &Invoice) -> Result<(), &'static str> {
    if (sum(&invoice.lines) - invoice.total).abs() < 0.005 {
        Ok(())
    } else {
        Err("the total is not the sum of the lines")
    }
}

/// The same rule for `rstructor`.
fn validate(invoice: &Invoice) -> rstructor::Result<()> {
    total_is_the_sum(invoice).map_err(|message| RStructorError::ValidationError(message.to_owned()))
}

fn sum(lines: &[Line]) -> f64 {
    lines.iter().map(|line| f64::from(line.quantity) * line.unit_price).sum()
}

impl Invoice {
    /// A conforming invoice; ten lines make about 1 kB of JSON.
    pub fn of_lines(count: u32) -> Self {
        let line = |n: u32| Line {
            description: format!("Position number {n} of the delivery"),
            quantity: n % 7 + 1,
            unit_price: 2.5,
            kind: if n.is_multiple_of(2) { Kind::Goods } else { Kind::Service },
        };
        let lines: Vec<_> = (0..count).map(line).collect();
        let total = sum(&lines);
        Self { number: "INV-2041".to_owned(), currency: "EUR".to_owned(), lines, total, remarks: None }
    }
}
