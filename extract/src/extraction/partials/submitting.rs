//! The value in the arguments of a call, while they are written.

use crate::{
    agent::Reply,
    judging::tools::{ToolKind, ToolSet},
};

/// Maximum bytes that are searched for a wrapper around a value.
const LOOK: usize = 64;

/// Which call of a reply submits the value, and what is around the value in its arguments.
///
/// If there are several calls, the first `submit` is shown; a list in several calls is shown when it
/// was read. A value that is only validated is not shown while it is written: it is not the answer,
/// and the agent writes it again.
#[derive(Debug)]
pub(super) struct SubmittingCall {
    tool_set: ToolSet,
    /// The number of the call that submits.
    call: Option<usize>,
    /// The start of the arguments, while it may still be a wrapper.
    start: Option<String>,
}

/// The next text of a value.
pub(super) struct SubmittedText {
    pub(super) text: String,
    /// Whether the value begins here. This supersedes everything shown of the reply before.
    pub(super) begins: bool,
}

impl SubmittingCall {
    pub(super) fn new(tool_set: ToolSet) -> Self {
        Self { tool_set, call: None, start: None }
    }

    /// Starts another reply.
    pub(super) fn begin_again(&mut self) {
        (self.call, self.start) = (None, None);
    }

    /// Returns whether the value is in a call of this reply, and not in its text.
    pub(super) fn has_begun(&self) -> bool {
        self.call.is_some()
    }

    /// The part of the value in `text`, the next part of the arguments of a call.
    pub(super) fn push(&mut self, call: usize, name: &str, text: &str) -> Option<SubmittedText> {
        let begins = self.call.is_none() && self.tool_set.kind_of(name) == Some(ToolKind::Submit);
        if begins {
            (self.call, self.start) = (Some(call), Some(String::new()));
        }
        if self.call != Some(call) {
            return None;
        }
        let text = match &mut self.start {
            None => text.to_owned(),
            Some(start) => {
                start.push_str(text);
                match self.tool_set.argument().map(|key| behind_key(start, key)) {
                    Some(ArgumentWrapper::Unclear) if start.len() < LOOK => String::new(),
                    Some(ArgumentWrapper::Until(end)) => self.start.take().unwrap_or_default().split_off(end),
                    _ => self.start.take().unwrap_or_default(),
                }
            }
        };
        Some(SubmittedText { text, begins })
    }

    /// Returns whether `reply` only validates its value.
    pub(super) fn only_validates(&self, reply: &Reply) -> bool {
        let mut kinds = reply.calls().iter().filter_map(|call| self.tool_set.kind_of(&call.name));
        kinds.clone().all(|kind| kind != ToolKind::Submit) && kinds.any(|kind| kind == ToolKind::Validate)
    }
}

/// The wrapper around a value.
enum ArgumentWrapper {
    Unclear,
    /// An object with one key, up to this byte.
    Until(usize),
    None,
}

/// Returns the wrapper at the start of `text`: an object whose first key is `key`.
fn behind_key(text: &str, key: &str) -> ArgumentWrapper {
    let mut rest = text;
    for token in ["{", "\"", key, "\"", ":"] {
        // The key is one token with its quotes.
        if token != key && !rest.starts_with(token) {
            rest = rest.trim_start();
        }
        match rest.strip_prefix(token) {
            Some(after) => rest = after,
            None if token.starts_with(rest) => return ArgumentWrapper::Unclear,
            None => return ArgumentWrapper::None,
        }
    }
    ArgumentWrapper::Until(text.len() - rest.len())
}
