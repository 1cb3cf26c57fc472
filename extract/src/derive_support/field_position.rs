//! The step from a value to one of its fields.

/// The position of a Rust field in the JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldPosition {
    /// Under this key.
    Key(&'static str),
    /// At this position.
    Index(usize),
    /// The same position as the type: the inside of a newtype, and flattened fields.
    Here,
}
