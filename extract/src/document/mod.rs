//! TEMP
mod grounded;
mod quote;
pub use self::{grounded::Grounded, quote::Quote};
/// Bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span { /// a
    pub start: usize, /// b
    pub end: usize }
