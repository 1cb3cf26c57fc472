//! Changes that reading makes.

use std::{fmt, ops::Range};

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::vocabulary::{path::Path, text::bare};

/// A deviation of a reply from conforming strict JSON, and how it was read.
///
/// ```
/// use extract::{Contract, reading::{ChangeKind, Loss}};
///
/// let schema = serde_json::json!({"type": "object", "properties": {"total": {"type": "number"}}});
/// let reading = Contract::from_schema(schema)?.read(r#"{"total": "1,250.00"}"#);
/// let change = &reading.changes[0];
/// assert_eq!(change.path.to_string(), "$.total");
/// assert_eq!((change.kind, change.loss), (ChangeKind::Type, Loss::Lossless));
/// assert_eq!((change.span.clone(), &*change.before, &*change.after), (10..20, "\"1,250.00\"", "1250.0"));
/// assert_eq!(change.to_string(), "$.total: type, lossless: \"1,250.00\" → 1250.0");
/// # Ok::<(), extract::schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Change {
    /// The path in the value; the root for text around the value.
    pub path: Path,
    /// Where in the reply, in bytes. If several replies continue one value, in the one that has it.
    pub span: Range<usize>,
    /// The kind of change.
    pub kind: ChangeKind,
    /// The text in the reply, cut to a limited length.
    pub before: String,
    /// The text that was read instead; empty if it was left out.
    pub after: String,
    /// The loss.
    pub loss: Loss,
    /// The chunk of a document, counted from 0, to whose answer `path` and `span` refer; `None` for
    /// the value as a whole. Merging the answers may move an element elsewhere in the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<usize>,
}

impl Change {
    /// A lossless change, with nothing instead.
    pub(crate) fn lossless(path: Path, span: Range<usize>, kind: ChangeKind, before: String) -> Self {
        Self { path, span, kind, before, after: String::new(), loss: Loss::Lossless, chunk: None }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, before, after, kind, loss, .. } = self;
        write!(f, "{path}: {}, {}: {before} ", bare(&json!(kind)).replace('_', " "), bare(&json!(loss)))?;
        match &**after {
            "" => f.write_str("left out"),
            after => write!(f, "→ {after}"),
        }
    }
}

/// The kind of a change to a part of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// Text around the value was left out: prose, a code fence, reasoning.
    Surroundings,
    /// Another JSON value, such as an earlier draft, was left out.
    OtherValue,
    /// The value was taken out of a wrapper, or put into the expected list or object.
    Wrapper,
    /// A comma was missing, or one too many.
    Comma,
    /// A colon was missing or written as something else.
    Colon,
    /// A bracket was missing, doubled or of the wrong kind.
    Bracket,
    /// Quotes were missing or of another kind, or a quote inside a string was not escaped.
    Quote,
    /// An invalid escape in a string was taken literally.
    Escape,
    /// A string contained an unescaped control character or line break.
    ControlCharacter,
    /// Whitespace that is not valid in JSON, or the shared indentation of a triple-quoted string.
    Space,
    /// A comment was left out.
    Comment,
    /// A constant of another language, such as `None`.
    Literal,
    /// A number in a notation that JSON does not have, `1.0` for an integer, or an integer of more
    /// than 64 bits that became a double. Digits beyond the precision of a double are
    /// [ignored](Loss::Ignored) in a number, and [lost](Loss::Lossy) in an integer.
    Number,
    /// Strings joined by `+` were read as one.
    Concatenation,
    /// An ellipsis instead of omitted content.
    Ellipsis,
    /// A key without a value, or a value without a key.
    Missing,
    /// The same key twice.
    Duplicate,
    /// The end is missing.
    Cut,
    /// `null` for an optional value was read as its absence.
    Absent,
    /// The string `"null"`, `"None"` or `"none"` was read as `null`, because the contract allows a
    /// string or null there and does not name that string.
    /// [`keep_null_strings`](crate::settings::ReadingOptions::keep_null_strings) turns it off.
    NullString,
    /// A value of one type was read as the same value of another, such as `"12"` as `12`.
    Type,
    /// A date in another notation, such as `5 March 2024` for `2024-03-05`, where the schema asks for a date.
    CalendarDate,
    /// A string that holds JSON was read as that JSON.
    EmbeddedJson,
    /// A value was spelled differently from the allowed one.
    Choice,
    /// A value outside the list of known names, where others are allowed. It is kept, and serde
    /// reads it as the variant with `#[serde(other)]`.
    Other,
    /// A quote was written with other white space, typography or case than the document, or with
    /// quotation marks or ellipses around it that the document does not have.
    Quotation,
    /// A key was spelled differently than in the contract.
    Name,
    /// A key that is not in the contract; serde ignores it.
    UnknownKey,
    /// A part of the reply that may belong to the answer, and is not in the value.
    LeftOver,
    /// The text after the end of the agent's turn: another question, and what the agent makes of
    /// it.
    AnotherTurn,
    /// A [continuation](crate::Extraction::max_continuations) repeated something that was already
    /// there. The repetition was left out.
    Overlap,
    /// Stands for all changes beyond the first thousand; `after` has their number.
    Others,
}

/// The loss caused by a [`Change`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Loss {
    /// Nothing: the same information in another spelling.
    Lossless,
    /// Material that the contract does not ask for, or a string that only says that there is no
    /// value.
    Ignored,
    /// Part of what was asked for.
    Lossy,
}
