//! An event.

/// One event of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The name of a server-sent event, if it has one.
    pub(crate) name: Option<String>,
    pub(crate) data: String,
}
