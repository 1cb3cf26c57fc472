//! The receipt of a reading.

use std::{borrow::Cow, ops::Range};

use serde::{Deserialize, Serialize};

use crate::{path::Path, text::cut};

/// Characters of `before` and `after` that a change keeps; the span says where the rest is.
const KEPT_CHARS: usize = 400;

/// Entries of one receipt; what comes after them is one entry of kind [`ChangeKind::Others`].
pub(super) const MAX_CHANGES: usize = 1_000;

/// What several values are read as.
pub(super) const JOINED: &str = "one list";

/// What a value is put into.
pub(super) const LIST_OF_IT: &str = "a list of it";

/// One departure of a reply from strict JSON that conforms, and what was done about it.
///
/// ```
/// use extract::{ChangeKind, Contract, Loss};
///
/// let schema = serde_json::json!({"type": "object", "properties": {"total": {"type": "number"}}});
/// let reading = Contract::from_schema(schema)?.read(r#"{"total": "1,250.00"}"#);
/// let change = &reading.changes[0];
/// assert_eq!(change.path.to_string(), "$.total");
/// assert_eq!((change.kind, change.loss), (ChangeKind::Type, Loss::Lossless));
/// assert_eq!((change.span.clone(), &*change.before, &*change.after), (10..20, "\"1,250.00\"", "1250.0"));
/// # Ok::<(), extract::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Change {
    /// Where in the value; the root for what surrounds it.
    pub path: Path,
    /// Where in the reply, in bytes.
    pub span: Range<usize>,
    /// What was done.
    pub kind: ChangeKind,
    /// The text as it stood in the reply, cut to a bounded size.
    pub before: String,
    /// What it was read as; empty where it was left out.
    pub after: String,
    /// What was lost by it.
    pub loss: Loss,
}

/// What was done to a part of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// Text around the value was left out: prose, a code fence, reasoning.
    Surroundings,
    /// Another JSON value, such as an earlier draft, was left out.
    OtherValue,
    /// The value was taken out of what wraps it, or put into the list or object that was asked for.
    Wrapper,
    /// A comma was missing, or one too many.
    Comma,
    /// A colon was missing or written as something else.
    Colon,
    /// A bracket was missing, doubled or of the wrong kind.
    Bracket,
    /// Quotes were missing or of another kind, or a quote inside a text was not escaped.
    Quote,
    /// An invalid escape in a text was taken literally.
    Escape,
    /// A control character or line break stood raw in a text.
    ControlCharacter,
    /// Whitespace that JSON does not know.
    Space,
    /// A comment was left out.
    Comment,
    /// A constant of another language, such as `None`.
    Literal,
    /// A number in a notation that JSON does not know, `1.0` where an integer is wanted, or an integer of more than 64
    /// bits that became a double. Its digits beyond the precision of a double are [ignored](Loss::Ignored) where a number
    /// is wanted, and [lost](Loss::Lossy) where an integer is.
    Number,
    /// Texts joined by `+` were read as one.
    Concatenation,
    /// An ellipsis stands for what was not written.
    Ellipsis,
    /// A key without a value, or a value without a key.
    Missing,
    /// The same key twice.
    Duplicate,
    /// The end is missing.
    Cut,
    /// `null` for an optional value was read as its absence.
    Absent,
    /// A value of one type was read as the same value of another, such as `"12"` as `12`.
    Type,
    /// A text that holds JSON was read as that JSON.
    EmbeddedJson,
    /// A value was spelled differently from the allowed one.
    Choice,
    /// A value that is none of the names that the contract knows, where others are allowed: it is kept, and serde reads it as
    /// the variant with `#[serde(other)]`.
    Other,
    /// A key was spelled differently from that of the contract.
    Name,
    /// A key that the contract does not ask for; serde ignores it.
    UnknownKey,
    /// All the changes beyond the first thousand; `after` counts them.
    Others,
}

/// What a [`Change`] lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Loss {
    /// Nothing: the same information in another spelling.
    Lossless,
    /// Material that the contract does not ask for.
    Ignored,
    /// Part of what was asked for.
    Lossy,
}

/// A change that does not know its text yet, and perhaps not its path.
#[derive(Debug, Clone)]
pub(super) struct Note {
    /// `None` until the place is looked up by the span.
    pub(super) path: Option<Path>,
    pub(super) span: Range<usize>,
    pub(super) kind: ChangeKind,
    pub(super) after: Cow<'static, str>,
    pub(super) loss: Loss,
    /// How many changes it stands for.
    pub(super) count: usize,
    /// Whether it stands for changes that are not listed.
    pub(super) is_rest: bool,
}

impl Note {
    pub(super) fn new(kind: ChangeKind, loss: Loss, span: Range<usize>) -> Self {
        Self { path: None, span, kind, after: Cow::Borrowed(""), loss, count: 1, is_rest: false }
    }

    pub(super) fn after(mut self, after: impl Into<Cow<'static, str>>) -> Self {
        self.after = after.into();
        self
    }

    pub(super) fn at(mut self, path: Path) -> Self {
        self.path = Some(path);
        self
    }

    /// Lets this note stand for another one too.
    pub(super) fn absorb(&mut self, other: &Self) {
        self.kind = ChangeKind::Others;
        self.after = Cow::Borrowed("");
        self.loss = self.loss.max(other.loss);
        self.span = self.span.start.min(other.span.start)..self.span.end.max(other.span.end);
        self.count += other.count;
        self.is_rest = true;
    }

    /// The same, not to be listed by itself.
    pub(super) fn unlisted(mut self) -> Self {
        (self.kind, self.is_rest) = (ChangeKind::Others, true);
        self
    }

    pub(super) fn into_change(self, path: Path, reply: &str) -> Change {
        Change {
            path,
            before: kept(Cow::Borrowed(reply.get(self.span.clone()).unwrap_or_default())),
            span: self.span,
            kind: self.kind,
            after: kept(self.after),
            loss: self.loss,
        }
    }
}

/// Adds `note` to `notes`. Beyond what a receipt lists, the last one stands for all.
pub(super) fn add(notes: &mut Vec<Note>, note: Note) {
    let has_room = notes.len() < MAX_CHANGES;
    match notes.last_mut().filter(|last| last.is_rest) {
        Some(last) => last.absorb(&note),
        None => notes.push(if has_room { note } else { note.unlisted() }),
    }
}

/// Bytes of a part of which the characters are counted. A thousand changes may be about the same long part.
const COUNTED: usize = 1 << 16;

fn kept(text: Cow<'_, str>) -> String {
    if text.len() <= KEPT_CHARS {
        return text.into_owned();
    }
    if text.len() <= COUNTED {
        return cut(&text, KEPT_CHARS);
    }
    let end = text.char_indices().nth(KEPT_CHARS).map_or(text.len(), |(end, _)| end);
    format!("{}… ({} more bytes)", &text[..end], text.len() - end)
}
