//! Documents, and errors of reading them.

use std::fmt;

use extract::document::Document;
use serde_json::Value;

/// The name of the standard input.
pub(super) const STDIN: &str = "stdin";

/// One document.
#[derive(Debug)]
pub(crate) struct InputItem {
    /// Its name in the outputs: the path of the file, or the value of the key column.
    pub(crate) key: String,
    /// Where it is, such as `data.csv:17`.
    pub(super) place: String,
    pub(crate) content: Content,
    /// Data that is copied into the output.
    pub(crate) meta: Value,
    /// Parts of the file that `content` lacks.
    pub(crate) remark: Option<String>,
}

/// Why a document could not be read, and where.
#[derive(Debug)]
pub(crate) struct InputError {
    /// `data.csv:17`, counted from 1.
    pub(crate) place: String,
    pub(crate) message: String,
    /// Whether reading the document costs too much, as if it was crafted for that. It never ends a
    /// job.
    pub(crate) is_too_large: bool,
    /// Whether no document of the input can be read, such as if a table does not have a column.
    pub(super) is_about_input: bool,
}

/// The end of a message about what ends an input.
pub(super) const AND_THE_REST: &str = "; nothing after it was read";

impl InputError {
    pub(super) fn new(place: impl Into<String>, message: impl fmt::Display) -> Self {
        Self { place: place.into(), message: message.to_string(), is_too_large: false, is_about_input: false }
    }

    /// An error after which the rest of the input cannot be read.
    pub(super) fn ending(place: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::new(place, format!("{message}{AND_THE_REST}"))
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for InputError {}

impl InputItem {
    /// The text, unless the agent reads the file itself.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(document) => Some(document.text()),
            Content::Media { .. } => None,
        }
    }
}

/// The content that the agent receives.
#[derive(Debug)]
pub(crate) enum Content {
    Text(Document),
    /// An image or a document that the agent reads itself.
    Media {
        bytes: Vec<u8>,
        media_type: &'static str,
    },
}

/// Documents, read on demand.
pub(super) type InputItems = Box<dyn Iterator<Item = Result<InputItem, InputError>> + Send>;
