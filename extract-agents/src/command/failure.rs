//! Why a program gave no reply.

use std::{
    ffi::OsStr,
    io::{self, ErrorKind},
    path::Path,
    process::ExitStatus,
};

use extract::agent::{AgentError, AgentErrorKind};

use super::{
    CommandAgent,
    pipes::{Stop, Streams},
};

/// Maximum characters of a program's output in an error: the last ones.
const LONGEST_TAIL: usize = 2000;

/// Exit codes that a retry cannot fix: wrong usage (2 by the convention of shells; 64, 66, 77 and
/// 78 of `sysexits.h`: usage, missing input, permission, configuration), and a script's report that
/// a program cannot be executed or found (126, 127).
pub(super) const PERMANENT: [i32; 7] = [2, 64, 66, 77, 78, 126, 127];

/// Those of them that no other document can change.
const OF_ALL: [i32; 4] = [77, 78, 126, 127];

impl CommandAgent {
    /// The program was never started.
    pub(super) fn not_started(&self, error: io::Error) -> AgentError {
        let program = self.shown_program();
        let (kind, message) = match error.kind() {
            ErrorKind::NotFound => (AgentErrorKind::Unavailable, self.not_found()),
            ErrorKind::PermissionDenied => (
                AgentErrorKind::Unavailable,
                format!(
                    "`{program}` may not be executed ({error}); make it executable, or name another program"
                ),
            ),
            ErrorKind::ArgumentListTooLong => (
                AgentErrorKind::TooLong,
                format!(
                    "the prompt is too long for an argument of `{program}` ({error}); give it on its input"
                ),
            ),
            ErrorKind::InvalidInput => {
                (AgentErrorKind::Refused, format!("`{program}` cannot be given its arguments: {error}"))
            }
            // No process, memory or file descriptor is available: that passes.
            ErrorKind::WouldBlock
            | ErrorKind::OutOfMemory
            | ErrorKind::Interrupted
            | ErrorKind::ExecutableFileBusy
            | ErrorKind::ResourceBusy => {
                (AgentErrorKind::Transport, format!("`{program}` could not be started now: {error}"))
            }
            _ => (AgentErrorKind::Unavailable, format!("`{program}` could not be started: {error}")),
        };
        AgentError::new(kind, message).with_source(error)
    }

    /// One error covers four mistakes.
    fn not_found(&self) -> String {
        let program = self.shown_program();
        if let Some(folder) = self.folder.as_ref().filter(|folder| !folder.is_dir()) {
            return format!("`{program}` cannot run in `{}`: there is no such folder", folder.display());
        }
        if !has_folder(&self.program) {
            return format!(
                "there is no program `{program}` in the folders of `PATH`; install it, or give its whole path"
            );
        }
        if Path::new(&self.program).exists() {
            return format!("`{program}` is there, but not what it runs with; look at its first line (`#!`)");
        }
        format!("there is no program at `{program}`; install it, or correct the path")
    }

    pub(super) fn exited(&self, status: ExitStatus, streams: &mut Streams) -> AgentError {
        let is_permanent = status.code().is_some_and(|code| self.permanent_exits.contains(&code));
        let kind = if is_permanent { AgentErrorKind::Refused } else { AgentErrorKind::Transport };
        // `exit status: 1`, `signal: 9 (SIGKILL)`
        let message = self.message(&format!("ended with {status}"), streams);
        let is_of_all = is_permanent && status.code().is_some_and(|code| OF_ALL.contains(&code));
        let error = AgentError::new(kind, message);
        if is_of_all { error } else { error.of_request() }
    }

    pub(super) fn timed_out(&self, streams: &mut Streams) -> AgentError {
        let what = format!("gave no reply within {:?} and was killed", self.limit);
        self.failed(AgentErrorKind::Timeout, &what, streams)
    }

    pub(super) fn stopped(&self, stop: Stop, streams: &mut Streams) -> AgentError {
        match stop {
            Stop::Flooded => {
                let what = format!("printed more than {} bytes and was killed", self.max_output_bytes);
                self.failed(AgentErrorKind::Garbled, &what, streams)
            }
            Stop::Broken(error) => {
                let what = format!("could not be talked to: {error}");
                self.failed(AgentErrorKind::Transport, &what, streams).with_source(error)
            }
        }
    }

    /// A reply to a part of the prompt is not a reply to the prompt.
    pub(super) fn not_taken(&self, of: usize, streams: &mut Streams) -> AgentError {
        let what = format!(
            "closed its input after {} of {of} bytes of the prompt; if it takes the prompt as an argument, \
             say so with `prompt_as_argument`",
            streams.taken
        );
        self.failed(AgentErrorKind::Refused, &what, streams)
    }

    /// An error about the output of the program, with its name and its other output.
    pub(super) fn unreadable(&self, error: &AgentError, streams: &mut Streams) -> AgentError {
        // The unreadable output is not shown a second time.
        streams.output.clear();
        self.failed(error.kind(), &format!("ran, but {}", error.message()), streams)
    }

    /// A failure at one prompt: the program was started, so it is there.
    fn failed(&self, kind: AgentErrorKind, what: &str, streams: &mut Streams) -> AgentError {
        AgentError::new(kind, self.message(what, streams)).of_request()
    }

    fn message(&self, what: &str, streams: &mut Streams) -> String {
        let (name, tail) = streams.tail();
        let what = self.secrets.redact(what);
        let tail = printable(&self.secrets.redact(&tail));
        let message = format!("`{}` {what}", self.shown_program());
        if tail.is_empty() { message } else { format!("{message}; {name}: {tail}") }
    }
}

fn has_folder(program: &OsStr) -> bool {
    Path::new(program).parent().is_some_and(|parent| !parent.as_os_str().is_empty())
}

/// The end of `text`, without characters that move the cursor of a terminal.
fn printable(text: &str) -> String {
    let clean: String =
        text.chars().map(|char| if char.is_control() && char != '\n' { ' ' } else { char }).collect();
    let clean = clean.trim();
    match clean.char_indices().nth_back(LONGEST_TAIL) {
        Some((at, char)) => format!("…{}", &clean[at + char.len_utf8()..]),
        None => clean.to_owned(),
    }
}
