//! Reading with settings of one's own.

use super::{Leniency, Reading, ReadingOptions, ReplyEnd, Shapes, Validity, read};

/// Reads replies for one contract, with settings; from [`Contract::reader`](crate::Contract::reader).
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

    /// All options at once.
    pub fn options(mut self, options: ReadingOptions) -> Self {
        self.options = ReadingOptions { reply_end: self.options.reply_end, ..options };
        self
    }

    /// Which changes are accepted; [`Leniency::Faithful`] by default.
    pub fn leniency(mut self, leniency: Leniency) -> Self {
        self.options.leniency = leniency;
        self
    }

    /// Size of a reply in bytes beyond which it is not read but rejected; 8 MiB by default.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.options.max_bytes = bytes;
        self
    }

    /// Levels of brackets beyond which a value is not read but rejected; 128 by default, 256 at most. Fewer where many schemas
    /// lead to each other for one value: with ten of them, 51.
    pub fn max_depth(mut self, levels: usize) -> Self {
        self.options.max_depth = levels;
        self
    }

    /// How many JSON values of one reply are compared with the contract, the last ones; 32 by default. When there are
    /// more and none of those fits, a violation says so.
    pub fn max_candidates(mut self, count: usize) -> Self {
        self.options.max_candidates = count;
        self
    }

    /// Whether strings that mean null stay strings; see [`ReadingOptions::keep_null_strings`].
    pub fn keep_null_strings(mut self, keep: bool) -> Self {
        self.options.keep_null_strings = keep;
        self
    }

    /// How the reply ended; [`ReplyEnd::Unknown`] by default, which goes by its text alone.
    pub fn reply_end(mut self, end: ReplyEnd) -> Self {
        self.options.reply_end = end;
        self
    }

    /// Reads `reply`, as [`Contract::read`](crate::Contract::read) does.
    pub fn read(&self, reply: &str) -> Reading {
        read(reply, self.shapes, &self.options, self.validity)
    }
}
