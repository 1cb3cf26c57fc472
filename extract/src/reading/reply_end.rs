//! How a reply ended.

/// How a reply ended, as reported by its agent.
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
    /// The agent finished. The text can still show a cut: a value whose bracket or quote is open is
    /// incomplete.
    Whole,
    /// Only the text is known. Two more signs of a cut count: prose after the value that breaks off
    /// in the middle of a sentence, and a last string that lacks only its quote. A few plain words
    /// after the brackets that close a value are not such a sign. A number, a word or lines that
    /// look complete are taken as complete.
    #[default]
    Unknown,
    /// The reply was cut, for example by a token limit. A value counts as complete only if its own
    /// brackets or quotes close it and nothing follows it: the text after it might have taken it
    /// back.
    Cut,
}

impl ReplyEnd {
    /// Returns whether the end of `reply`, which is strict JSON alone, may be missing.
    pub(super) fn cuts_strict(self, reply: &str) -> bool {
        self == Self::Cut && !reply.trim_start().starts_with(['{', '[', '"'])
    }
}
