//! One document, or why there is none.

use std::fmt;

use extract::document::Document;
use serde_json::Value;

/// One document.
#[derive(Debug)]
pub(crate) struct Item {
    /// Its name in the outputs: the path of the file, or what the key column says.
    pub(crate) key: String,
    pub(crate) content: Content,
    /// What goes into the output as it is.
    pub(crate) meta: Value,
}

/// Why there is no document, and where.
#[derive(Debug)]
pub(crate) struct InputError {
    /// `data.csv:17`, counted from 1.
    pub(crate) place: String,
    pub(crate) message: String,
}

impl InputError {
    pub(super) fn new(place: impl Into<String>, message: impl fmt::Display) -> Self {
        Self { place: place.into(), message: message.to_string() }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for InputError {}

/// What an agent is given.
#[derive(Debug)]
pub(crate) enum Content {
    Text(Document),
    /// An image or a document that the agent looks at itself.
    Media {
        bytes: Vec<u8>,
        media_type: &'static str,
    },
}

/// Documents, as they are asked for.
pub(super) type Items = Box<dyn Iterator<Item = Result<Item, InputError>> + Send>;
