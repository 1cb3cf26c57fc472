//! The way from a value to one of its fields.

/// Where a field of the Rust type stands in the JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Under this key.
    Key(&'static str),
    /// At this position.
    Index(usize),
    /// Where the type itself stands: the inside of a newtype, and what is flattened.
    Here,
}
