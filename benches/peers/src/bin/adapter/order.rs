//! The type that is asked for. `python/order.py` says the same with pydantic.

use extract::Extractable;
use extract_rig::rig_core::schemars::{self, JsonSchema};
use rstructor::{Instructor, RStructorError};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, Extractable, Instructor, JsonSchema)]
#[llm(validate = "validate")]
pub(crate) struct Order {
    #[extract(pattern = r"^INV-\d{4}$")]
    pub(crate) number: String,
    pub(crate) lines: Vec<Line>,
}

#[derive(Debug, Serialize, Deserialize, Extractable, Instructor, JsonSchema)]
pub(crate) struct Line {
    pub(crate) description: String,
    #[extract(range(min = 1, max = 100))]
    pub(crate) quantity: i64,
    #[extract(example = 2.5)]
    pub(crate) unit_price: f64,
}

/// The constraints for the Rust peers, which have no attributes for them: the first violation is the error, with a
/// path written by hand.
pub(crate) fn first_violation(order: &Order) -> Option<String> {
    let digits = order.number.strip_prefix("INV-").unwrap_or_default();
    if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(format!("number must be INV- and four digits, got {:?}", order.number));
    }
    let mut lines = order.lines.iter().enumerate();
    let (index, line) = lines.find(|(_, line)| !(1..=100).contains(&line.quantity))?;
    Some(format!("lines[{index}].quantity must be from 1 to 100, got {}", line.quantity))
}

fn validate(order: &Order) -> rstructor::Result<()> {
    first_violation(order).map_or(Ok(()), |message| Err(RStructorError::ValidationError(message)))
}
