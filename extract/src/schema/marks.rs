//! Keywords of this library's own. Validators ignore what they do not know (JSON Schema 2020-12 core, section 4.3.1), and agents
//! are not shown them.

/// Marks a value that is not to be repeated.
pub(crate) const SENSITIVE: &str = "x-sensitive";

/// Marks the strings that `#[serde(other)]` takes: any but the names beside them. Alignment reads another spelling of such a
/// name as that name, which it does not do where a string is a value of its own.
pub(crate) const OTHER: &str = "x-other";
