//! What an agent wants with the tools that it calls.

use crate::{
    agent::{FinishReason, Reply},
    feedback::ToolExchange,
    judging::tools::{ToolKind, ToolSet},
    text::counted,
};

/// Bytes of arguments that are given back as a call; beyond, they are shown cut, as a text is.
const MAX_GIVEN_BACK: usize = 24_000;

/// What a reply asks for.
pub(super) enum ReplyIntent {
    /// What its text holds is to be judged.
    Text,
    /// What one of its calls holds is to be judged.
    Value { kind: ToolKind, index: usize },
    /// It calls tools, but hands in nothing.
    Nothing,
}

impl ReplyIntent {
    /// The first `submit` goes before the first `validate`: whoever does both at once is done if the value is right.
    pub(super) fn of(reply: &Reply, tool_set: Option<&ToolSet>) -> Self {
        let Some(tool_set) = tool_set.filter(|_| !reply.calls().is_empty()) else { return Self::Text };
        let first = |kind| {
            let index = reply.calls().iter().position(|call| tool_set.kind_of(&call.name) == Some(kind))?;
            Some(Self::Value { kind, index })
        };
        first(ToolKind::Submit).or_else(|| first(ToolKind::Validate)).unwrap_or(Self::Nothing)
    }

    /// As what a value is handed in. A text is an answer.
    pub(super) fn kind(&self) -> ToolKind {
        match self {
            Self::Value { kind, .. } => *kind,
            Self::Text | Self::Nothing => ToolKind::Submit,
        }
    }

    /// The reply as it is read: a call that is judged stands for the text.
    pub(super) fn readable_reply(&self, reply: Reply, tool_set: Option<&ToolSet>) -> Reply {
        let left_out = match self {
            Self::Value { index, .. } => {
                let text = tool_set.map(|tool_set| tool_set.submitted(&reply.calls()[*index].arguments));
                let others = reply.calls().len() - 1;
                let reply = reply.with_text(text.unwrap_or_default());
                return noted(reply, others, "not looked at: another one was judged");
            }
            Self::Nothing => 0,
            // Tools were not offered.
            Self::Text => reply.calls().len(),
        };
        noted(reply, left_out, "not looked at: no tool was offered")
    }

    /// What is needed to tell the agent, in its next question, what came of its calls. `None` where they cannot be given back to it.
    pub(super) fn exchange(&self, reply: &Reply) -> Option<ToolExchange> {
        let Self::Value { kind, index } = *self else { return None };
        let is_whole = *reply.finish_reason() != FinishReason::Length;
        let is_short = reply.calls().iter().map(|call| call.arguments.to_string().len()).sum::<usize>()
            <= MAX_GIVEN_BACK;
        // Providers refuse arguments that are no object.
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
