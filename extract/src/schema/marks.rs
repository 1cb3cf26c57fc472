//! Keywords of this library. Validators ignore unknown keywords (JSON Schema 2020-12 core, section
//! 4.3.1), and agents do not see these.

/// Marks a sensitive value, which is not repeated.
pub(crate) const SENSITIVE: &str = "x-sensitive";

/// Marks a string that quotes the document.
pub(crate) const QUOTE: &str = "x-quote";

/// Marks an object with a `value` and the `quote` that shows it.
pub(crate) const GROUNDED: &str = "x-grounded";

/// Marks a field whose value says which thing an object is about. Objects of a list with the same
/// value are one when the answers to the chunks of a document are merged.
pub(crate) const KEY: &str = "x-key";

/// Says which of several values of a field counts when the answers to the chunks of a document are
/// merged: `first`, `last`, `all` or `most`.
pub(crate) const MERGE: &str = "x-merge";

/// Marks a list that may lose its broken items, if the caller asks for that.
pub(crate) const KEEP_VALID_ITEMS: &str = "x-keep-valid-items";

/// Marks the strings that `#[serde(other)]` accepts: all except the names beside them. Alignment
/// corrects another spelling of such a name, which it does not do where any string is a value.
pub(crate) const OTHER: &str = "x-other";
