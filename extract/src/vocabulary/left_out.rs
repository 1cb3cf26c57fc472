//! Items that were left out of an accepted list.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::vocabulary::{path::Path, violation::Violation};

/// A broken item that was left out of an accepted list, because the caller asked to
/// [keep the valid items](crate::Extraction::keep_valid_items).
///
/// ```
/// use extract::{Contract, testing::{ScriptedAgent, block_on}};
///
/// let contract = Contract::from_schema(serde_json::json!({"items": {"type": "integer"}}))?;
/// let agent = ScriptedAgent::new(["[1, \"two\", 3]"]);
/// let extraction = contract.extract(&agent, "Which numbers?").max_attempts(1).keep_valid_items(true);
/// let (numbers, metrics) = block_on(extraction)?;
///
/// assert_eq!(numbers, serde_json::json!([1, 3]));
/// let item = &metrics.left_out[0];
/// assert_eq!((item.path.to_string().as_str(), &item.value), ("$[1]", &"two".into()));
/// assert_eq!(item.violations[0].code, extract::Code::WrongType);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeftOutItem {
    /// Its path in the submitted value, which still has the broken items.
    pub path: Path,
    /// The item as submitted, with its sensitive values redacted.
    pub value: Value,
    /// Why it was left out: its violations, at paths in the submitted value. Never empty.
    pub violations: Vec<Violation>,
    /// The chunk of a document in whose answer it was, counted from 0; `None` for the value as a
    /// whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<usize>,
}

impl LeftOutItem {
    pub(crate) fn new(path: Path, value: Value, violations: Vec<Violation>) -> Self {
        Self { path, value, violations, chunk: None }
    }
}
