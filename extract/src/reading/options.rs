//! Settings of reading: what it may change, how much it may look at, and how the reply ended.

use super::shape::NullReading;

/// Depth beyond which no reply is read, regardless of the setting: reading, validating and
/// deserializing recurse.
pub(super) const DEEPEST: usize = 256;

/// Which changes are accepted in reading a reply.
///
/// A change that is not accepted is a violation at its path, so the agent is told about it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Leniency {
    /// None: a reply is one strict JSON value that conforms, and nothing else.
    Strict,
    /// Changes that lose nothing that was asked for: [lossless](crate::reading::Loss::Lossless) and
    /// [ignored](crate::reading::Loss::Ignored) ones.
    #[default]
    Faithful,
    /// All changes, including those that drop or invent a part of what was asked for. A cut reply
    /// still does not count as complete.
    Lossy,
}

/// Which replies are read, and which changes are accepted in reading them.
///
/// ```
/// use extract::{Contract, settings::{Leniency, ReadingOptions}, testing::{ScriptedAgent, block_on}};
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let agent = ScriptedAgent::new(["It is 8.", "8"]);
/// let options = ReadingOptions::new().leniency(Leniency::Strict);
/// let (legs, metrics) = block_on(contract.extract(&agent, "…").reading_options(options))?;
/// assert_eq!((legs, metrics.attempts), (8.into(), 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct ReadingOptions {
    pub(crate) leniency: Leniency,
    pub(crate) max_bytes: usize,
    pub(crate) max_depth: usize,
    pub(crate) max_candidates: usize,
    pub(crate) reply_end: ReplyEnd,
    pub(crate) keep_null_strings: bool,
}

impl ReadingOptions {
    /// Creates the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets which changes are accepted. The default, [`Leniency::Faithful`], loses nothing that was
    /// asked for. A change that is not accepted is a violation.
    pub fn leniency(mut self, leniency: Leniency) -> Self {
        self.leniency = leniency;
        self
    }

    /// Sets the maximum length of a reply in bytes; 8 MiB by default. A longer one is rejected
    /// unread. The operations of a patch ([`Feedback::Patch`](crate::Feedback::Patch)) together may
    /// write that many bytes of JSON.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets the maximum nesting of brackets in a reply or a patched value; 128 levels by default,
    /// 256 at most. A deeper one is rejected unread. The limit is lower where schemas for the same
    /// value form a long chain: 51 for a chain of ten.
    pub fn max_depth(mut self, levels: usize) -> Self {
        self.max_depth = levels;
        self
    }

    /// Sets how many JSON values of one reply are compared with the contract, counted from the end;
    /// 32 by default. If there are more and no compared value fits, a violation says so.
    pub fn max_candidates(mut self, count: usize) -> Self {
        self.max_candidates = count;
        self
    }

    /// Sets whether the strings `"null"`, `"None"` and `"none"` stay strings where the contract
    /// allows a string or null; `false` by default.
    ///
    /// By default they are read as null there, with an entry in the receipt
    /// ([`ChangeKind::NullString`](crate::reading::ChangeKind::NullString)). They stay strings if
    /// the schema itself names the string: by `enum`, `const`, `examples` or `default`, or by a
    /// `pattern` or `format` that it satisfies. Models write these strings for null: 1,028
    /// submissions of small models had them in 184 such positions, and they were never right as
    /// strings. Keep them where a person may be called None. [`Leniency::Strict`] always keeps
    /// them.
    ///
    /// ```
    /// use extract::Contract;
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object", "properties": {"city": {"type": ["string", "null"]}}});
    /// let contract = Contract::from_schema(schema)?;
    /// let reply = r#"{"city": "null"}"#;
    /// assert_eq!(contract.read(reply).value, Some(json!({"city": null})));
    /// assert_eq!(contract.reader().keep_null_strings(true).read(reply).value, Some(json!({"city": "null"})));
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn keep_null_strings(mut self, keep: bool) -> Self {
        self.keep_null_strings = keep;
        self
    }

    /// Largest reply in bytes that is read by default; a longer one is a violation. The longest
    /// answers of current models are 128,000 tokens, about half a megabyte of English.
    pub(crate) const MAX_BYTES: usize = 8 << 20;

    /// Limits the depth to `levels` of brackets.
    pub(super) fn at_most_deep(mut self, levels: usize) -> Self {
        self.max_depth = self.max_depth.min(levels);
        self
    }

    pub(super) fn null_reading(&self) -> NullReading {
        if self.keep_null_strings || self.leniency == Leniency::Strict {
            NullReading::Text
        } else {
            NullReading::Null
        }
    }

    /// The deepest nesting that is read.
    pub(crate) fn depth(&self) -> usize {
        self.max_depth.min(DEEPEST)
    }
}

impl Default for ReadingOptions {
    fn default() -> Self {
        Self {
            leniency: Leniency::default(),
            max_bytes: Self::MAX_BYTES,
            max_depth: 128,
            max_candidates: 32,
            reply_end: ReplyEnd::default(),
            keep_null_strings: false,
        }
    }
}

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
    /// Only the text is known. Two more signs of a cut count: a last string that lacks only its
    /// quote, and prose that breaks off in the middle of a sentence after a draft, after a value that
    /// no bracket or quote closes, or where it begins to revise the value. A number, a word or lines that look complete are taken as
    /// complete.
    #[default]
    Unknown,
    /// The reply was cut, for example by a token limit. A value counts as complete only if its own
    /// brackets or quotes close it, no text follows it on its line, and no sentence that breaks off
    /// begins to revise it. The rest of the prose after it is judged as always.
    Cut,
}

impl ReplyEnd {
    /// Returns whether the end of `reply`, which is strict JSON alone, may be missing.
    pub(super) fn cuts_strict(self, reply: &str) -> bool {
        self == Self::Cut && !reply.trim_start().starts_with(['{', '[', '"'])
    }
}
