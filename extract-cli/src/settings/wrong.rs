//! A mistake in a file with settings.

use std::path::Path;

use crate::error::Failure;

/// A mistake and its line.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) line: usize,
    pub(super) message: String,
    help: Option<String>,
}

impl Wrong {
    pub(super) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into(), help: None }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    pub(super) fn in_file(self, file: &Path) -> Failure {
        let failure = Failure::usage(format!("`{}`, line {}: {}", file.display(), self.line, self.message));
        match self.help {
            Some(help) => failure.help(help),
            None => failure,
        }
    }
}
