//! Reads a schema from types in the notation that [`types`](super::types) writes: a subset of
//! TypeScript, with constraints in comments.
//!
//! A [tokenizer](token) and a [parser](parser) turn the text into definitions. [`build`]
//! turns these into JSON Schema, and [`phrase`] finds the constraints in the comments.

mod build;
mod parser;
mod phrase;
mod token;

#[cfg(test)]
mod tests;

use serde_json::Value;

pub use self::token::TypesError;
use self::{
    parser::TypesParser,
    token::{TypesMistake, tokens},
};

/// The longest text that is read, in bytes.
const MAX_BYTES: usize = 256 << 10;

/// The JSON Schema for the types in `text`.
pub(crate) fn from_types(text: &str) -> Result<Value, TypesError> {
    let read = || {
        if text.len() > MAX_BYTES {
            return Err(TypesMistake::new(0, "longer than 256 KiB, the most that is read"));
        }
        build::schema(&TypesParser::new(tokens(text)?).definitions()?)
    };
    read().map_err(|wrong| wrong.in_text(text))
}
