//! What a reply wants: to submit, to validate, or only to use a tool.

use crate::{
    agent::Reply,
    feedback::ToolExchange,
    judging::tools::{ToolKind, ToolSet},
    reading::ReplyEnd,
    text::counted,
};

/// Maximum bytes of arguments that are repeated as tool calls. Longer ones are repeated as text,
/// and cut.
const MAX_GIVEN_BACK: usize = 24_000;

/// What a reply asks for.
pub(super) enum ReplyIntent {
    /// To judge its text.
    Text,
    /// To judge the arguments of one of its calls.
    Value { kind: ToolKind, index: usize },
    /// To run tools without a value to judge.
    Nothing,
}

impl ReplyIntent {
    /// The first `submit` takes precedence over the first `validate`: an agent that calls both is
    /// done if the value is right.
    pub(super) fn of(reply: &Reply, tool_set: Option<&ToolSet>) -> Self {
        let Some(tool_set) = tool_set.filter(|_| !reply.calls().is_empty()) else { return Self::Text };
        let first = |kind| {
            let index = reply.calls().iter().position(|call| tool_set.kind_of(&call.name) == Some(kind))?;
            Some(Self::Value { kind, index })
        };
        first(ToolKind::Submit).or_else(|| first(ToolKind::Validate)).unwrap_or(Self::Nothing)
    }

    /// How the value is submitted. Text counts as `submit`.
    pub(super) fn kind(&self) -> ToolKind {
        match self {
            Self::Value { kind, .. } => *kind,
            Self::Text | Self::Nothing => ToolKind::Submit,
        }
    }

    /// The reply to read: the arguments of the judged call take the place of the text.
    pub(super) fn readable_reply(&self, reply: Reply, tool_set: Option<&ToolSet>) -> Reply {
        let left_out = match self {
            Self::Value { index, .. } => {
                let text = tool_set.map(|tool_set| tool_set.submitted(&reply.calls()[*index].arguments));
                let others = reply.calls().len() - 1;
                let reply = reply.with_text(text.unwrap_or_default());
                return noted(reply, others, "ignored: another one was judged");
            }
            Self::Nothing => 0,
            // Tools were not offered.
            Self::Text => reply.calls().len(),
        };
        noted(reply, left_out, "ignored: no tool was offered")
    }

    /// The calls, so that the next question can report their results. `None` if they cannot be
    /// shown to the agent again.
    pub(super) fn exchange(&self, reply: &Reply) -> Option<ToolExchange> {
        let Self::Value { kind, index } = *self else { return None };
        let is_whole = reply.end() != ReplyEnd::Cut;
        let is_short = reply.calls().iter().map(|call| call.arguments.to_string().len()).sum::<usize>()
            <= MAX_GIVEN_BACK;
        // Providers refuse arguments that are not an object.
        let can_be_given_back = reply.calls().iter().all(|call| call.arguments.is_object());
        (is_whole && is_short && can_be_given_back)
            .then(|| ToolExchange::of(reply, index, kind == ToolKind::Submit))
    }
}

fn noted(reply: Reply, calls: usize, what: &str) -> Reply {
    if calls == 0 {
        return reply;
    }
    reply.with_note(format!(
        "{} of the reply {} {what}",
        counted(calls, "call"),
        if calls == 1 { "was" } else { "were" }
    ))
}
