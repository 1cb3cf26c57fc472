//! Failures of commands, and their exit codes.

use std::{fmt, io};

/// The exit codes. They are documented in `--help`, the man page and `docs/command-line.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything asked for is there.
    Success = 0,
    /// A reply or value does not conform, some documents failed, or too few fields are right.
    NotConforming = 1,
    /// The command line, the schema or an input is wrong.
    Usage = 2,
    /// A job ended before its last document; the same command continues it.
    Stopped = 3,
    /// The agent could not be asked.
    Agent = 4,
    /// A journal or an output could not be read or written.
    Storage = 5,
    /// Batches are not answered yet; the same command continues the job.
    Waiting = 6,
    /// Ctrl-C ended it at once.
    Interrupted = 130,
}

impl Exit {
    /// Success if everything conforms.
    pub(crate) fn of(is_conforming: bool) -> Self {
        if is_conforming { Self::Success } else { Self::NotConforming }
    }
}

/// An error for the person at the shell: the failure, its location, and advice.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// The result of a command.
pub(crate) type Outcome = Result<Exit, Failure>;

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), help: None }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// A failure without a message, because the reader of the output has gone.
    pub(crate) fn silent(exit: Exit) -> Self {
        Self::new(exit, "")
    }

    /// Returns whether the message is empty.
    pub(crate) fn is_silent(&self) -> bool {
        self.message.is_empty()
    }

    /// Returns whether the reader of the output has gone, which is not a failure.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.exit == Exit::Success
    }
}

/// Errors of writing to the standard output. Errors of files are created with the file's name.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::silent(Exit::Success);
        }
        Self::new(Exit::Storage, format!("the output cannot be written: {error}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
