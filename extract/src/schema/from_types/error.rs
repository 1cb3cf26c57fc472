//! Errors in a text of types.

use crate::schema::SchemaError;

/// Why a text of types does not become a contract; see
/// [`Contract::from_types`](crate::Contract::from_types).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TypesError {
    /// The text does not follow the notation.
    #[error("line {line}, column {column}: {message}")]
    #[non_exhaustive]
    Notation {
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// The reason, without the position.
        message: String,
    },
    /// The schema of the types does not compile, for example because of a broken pattern.
    #[error(transparent)]
    Schema(#[from] SchemaError),
}

/// A mistake at a byte offset of the text.
#[derive(Debug)]
pub(super) struct TypesMistake {
    at: usize,
    message: String,
}

impl TypesMistake {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }

    pub(super) fn in_text(self, text: &str) -> TypesError {
        let before = text.get(..self.at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        TypesError::Notation { line, column: before[start..].chars().count() + 1, message: self.message }
    }
}
