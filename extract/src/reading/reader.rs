//! Reading with custom settings.

use super::{Leniency, Reading, ReadingOptions, ReplyEnd, Shapes, Validity, read};

/// Reads replies for one contract with custom settings; created by
/// [`Contract::reader`](crate::Contract::reader).
///
/// ```
/// use extract::{Contract, settings::Leniency};
/// use serde_json::json;
///
/// let contract = Contract::from_schema(json!({"type": "array", "items": {"type": "integer"}}))?;
/// let reply = "[1, 2, ...]";
/// assert_eq!(contract.read(reply).violations.len(), 1, "something is left out");
/// let reading = contract.reader().leniency(Leniency::Lossy).read(reply);
/// assert_eq!((reading.value, reading.violations), (Some(json!([1, 2])), vec![]));
/// # Ok::<(), extract::schema::SchemaError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a reader does nothing until it reads"]
pub struct Reader<'c> {
    shapes: &'c Shapes,
    validity: &'c dyn Validity,
    options: ReadingOptions,
}

impl<'c> Reader<'c> {
    pub(crate) fn new(shapes: &'c Shapes, validity: &'c dyn Validity) -> Self {
        Self { shapes, validity, options: ReadingOptions::default() }
    }

    /// Sets all options at once, except [`reply_end`](Self::reply_end).
    pub fn options(mut self, options: ReadingOptions) -> Self {
        self.options = ReadingOptions { reply_end: self.options.reply_end, ..options };
        self
    }

    /// Sets which changes are accepted; [`Leniency::Faithful`] by default.
    pub fn leniency(mut self, leniency: Leniency) -> Self {
        self.options.leniency = leniency;
        self
    }

    /// Sets the maximum length of a reply in bytes; 8 MiB by default. A longer one is rejected
    /// unread.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.options.max_bytes = bytes;
        self
    }

    /// Sets the maximum nesting of brackets; 128 levels by default, 256 at most. A deeper value is
    /// rejected unread. The limit is lower where schemas for the same value form a long chain: 51
    /// for a chain of ten.
    pub fn max_depth(mut self, levels: usize) -> Self {
        self.options.max_depth = levels;
        self
    }

    /// Sets how many JSON values of one reply are compared with the contract, counted from the end;
    /// 32 by default. If there are more and no compared value fits, a violation says so.
    pub fn max_candidates(mut self, count: usize) -> Self {
        self.options.max_candidates = count;
        self
    }

    /// Sets whether strings that mean null stay strings; see [`ReadingOptions::keep_null_strings`].
    pub fn keep_null_strings(mut self, keep: bool) -> Self {
        self.options.keep_null_strings = keep;
        self
    }

    /// Sets how the reply ended. The default, [`ReplyEnd::Unknown`], judges by the text alone.
    pub fn reply_end(mut self, end: ReplyEnd) -> Self {
        self.options.reply_end = end;
        self
    }

    /// Reads `reply`, as [`Contract::read`](crate::Contract::read) does.
    pub fn read(&self, reply: &str) -> Reading {
        read(reply, self.shapes, &self.options, self.validity)
    }
}
