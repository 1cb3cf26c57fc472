//! The parts of the weights' file format that are needed: architecture, context length, tokenizer.

mod byte_level;
mod tokenizer;

use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
};

use candle_core::quantized::gguf_file::{Content, Value};

#[cfg(test)]
pub(super) use self::byte_level::is_character as is_byte;
pub(super) use self::tokenizer::Tokenizer;
use crate::error::LocalModelError;

/// The one architecture that the runtimes here implement.
const ARCHITECTURE: &str = "qwen2";

/// A GGUF file whose header was read.
pub(super) struct Gguf {
    pub(super) path: PathBuf,
    pub(super) content: Content,
    pub(super) reader: BufReader<File>,
}

impl Gguf {
    /// Reads the header of a file, and rejects files that cannot be run.
    pub(super) fn open(path: &Path) -> Result<Self, LocalModelError> {
        let file = File::open(path).map_err(LocalModelError::io("read", path))?;
        let mut reader = BufReader::new(file);
        let content = Content::read(&mut reader).map_err(|error| {
            unsupported(path, format!("it is not a whole GGUF file: {}", first_line(&error)))
        })?;
        let gguf = Self { path: path.to_path_buf(), content, reader };
        let architecture = gguf.text("general.architecture")?;
        if architecture != ARCHITECTURE {
            return Err(gguf.unsupported(format!(
                "its architecture is `{architecture}`; supported is `{ARCHITECTURE}` (Qwen2 and Qwen2.5, Coder included)"
            )));
        }
        Ok(gguf)
    }

    /// The context length of the model, in tokens.
    pub(super) fn context_length(&self) -> Result<usize, LocalModelError> {
        self.count("qwen2.context_length")
    }

    /// A number under a key of the metadata.
    pub(super) fn count(&self, key: &str) -> Result<usize, LocalModelError> {
        let number = self.value(key)?.to_u64().ok().and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| self.unsupported(format!("`{key}` in its metadata is not a count")))
    }

    /// A string under a key of the metadata.
    pub(super) fn text(&self, key: &str) -> Result<&str, LocalModelError> {
        match self.value(key)? {
            Value::String(text) => Ok(text),
            _ => Err(self.unsupported(format!("`{key}` in its metadata is not a string"))),
        }
    }

    /// A list under a key of the metadata.
    pub(super) fn list(&self, key: &str) -> Result<&[Value], LocalModelError> {
        match self.value(key)? {
            Value::Array(values) => Ok(values),
            _ => Err(self.unsupported(format!("`{key}` in its metadata is not a list"))),
        }
    }

    pub(super) fn value(&self, key: &str) -> Result<&Value, LocalModelError> {
        let value = self.content.metadata.get(key);
        value.ok_or_else(|| self.unsupported(format!("its metadata lacks `{key}`")))
    }

    pub(super) fn unsupported(&self, reason: impl Into<String>) -> LocalModelError {
        unsupported(&self.path, reason)
    }
}

fn unsupported(path: &Path, reason: impl Into<String>) -> LocalModelError {
    LocalModelError::Unsupported { path: path.to_path_buf(), reason: reason.into() }
}

/// The errors of candle may carry a backtrace after the message.
pub(super) fn first_line(error: &candle_core::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}
