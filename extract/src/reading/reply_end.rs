//! How a reply ended.

/// How a reply ended, as far as its agent says.
///
/// ```
/// use extract::{Contract, reading::ReplyEnd};
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// assert_eq!(contract.read("1234").value, Some(1234.into()));
/// let reading = contract.reader().reply_end(ReplyEnd::Cut).read("1234");
/// assert!(reading.completeness.is_truncated(), "digits may be missing");
/// # Ok::<(), extract::schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReplyEnd {
    /// The agent was done. What the text itself shows is believed all the same: a value whose bracket or quote is still
    /// open was cut.
    Whole,
    /// Nothing is known but the text. Two more signs of a cut count: prose after the value that breaks off in the middle
    /// of a sentence, and a last string that only lacks its quote. A number, a word or lines that look whole are taken
    /// as whole.
    #[default]
    Unknown,
    /// The reply was cut, such as by a token limit. Only a value that its own brackets or quotes close is taken as whole,
    /// and only at the very end of the reply: what follows might have taken it back.
    Cut,
}

impl ReplyEnd {
    /// Whether `reply`, which is strict JSON and nothing else, may lack its end.
    pub(super) fn cuts_strict(self, reply: &str) -> bool {
        self == Self::Cut && !reply.trim_start().starts_with(['{', '[', '"'])
    }
}
