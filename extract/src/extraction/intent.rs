//! The intent of a reply: to submit, to validate, or only to use a tool.

use crate::{
    agent::Reply,
    contract::Contract,
    feedback::ToolExchange,
    judging::tools::{ToolKind, ToolSet, ToolSubmission},
    reading::{ReadingOptions, ReplyEnd},
    vocabulary::text::counted,
};

/// Maximum bytes of arguments that are repeated as tool calls. Longer ones are repeated as text,
/// and cut.
const MAX_GIVEN_BACK: usize = 24_000;

/// The intent of a reply.
pub(super) enum ReplyIntent {
    /// To judge its text.
    Text,
    /// To judge the arguments of these calls, one or more.
    Value { kind: ToolKind, calls: Vec<usize> },
    /// To run tools without a value to judge.
    Nothing,
}

impl ReplyIntent {
    /// `submit` takes precedence over `validate`: an agent that calls both is done if the value is
    /// right. All calls of `submit` count, and the first one of `validate`.
    pub(super) fn of(reply: &Reply, tool_set: Option<&ToolSet>) -> Self {
        let Some(tool_set) = tool_set.filter(|_| !reply.calls().is_empty()) else { return Self::Text };
        let calls_of = |kind, most| {
            let calls = reply.calls().iter().enumerate();
            let calls = calls.filter(|(_, call)| tool_set.kind_of(&call.name) == Some(kind)).take(most);
            let calls: Vec<usize> = calls.map(|(index, _)| index).collect();
            (!calls.is_empty()).then_some(Self::Value { kind, calls })
        };
        let submitted = calls_of(ToolKind::Submit, usize::MAX);
        submitted.or_else(|| calls_of(ToolKind::Validate, 1)).unwrap_or(Self::Nothing)
    }

    /// How the value is submitted. Text counts as `submit`.
    pub(super) fn kind(&self) -> ToolKind {
        match self {
            Self::Value { kind, .. } => *kind,
            Self::Text | Self::Nothing => ToolKind::Submit,
        }
    }

    /// Returns the reply to read: the arguments of the judged calls replace the text. Also returns
    /// how they were made one value; `options` say how the reply ended.
    pub(super) fn readable_reply(
        &self,
        reply: Reply,
        tool_set: Option<&ToolSet>,
        (contract, options): (&Contract, &ReadingOptions),
    ) -> (Reply, ToolSubmission) {
        let left_out = match (self, tool_set) {
            (Self::Value { calls, .. }, Some(tool_set)) => {
                let calls: Vec<_> = calls.iter().map(|index| &reply.calls()[*index]).collect();
                let mut submission = tool_set.submission(&calls, contract, options);
                let others = reply.calls().len() - submission.judged;
                let reply = reply.with_text(std::mem::take(&mut submission.text));
                return (noted(reply, others, "ignored: another one was judged"), submission);
            }
            (Self::Text, _) => reply.calls().len(),
            (Self::Nothing | Self::Value { .. }, _) => 0,
        };
        (noted(reply, left_out, "ignored: no tool was offered"), ToolSubmission::default())
    }

    /// The calls, so that the next question can report their results; so many of those with a value
    /// were `judged`. `None` if they cannot be shown to the agent again.
    pub(super) fn exchange(&self, reply: &Reply, judged: usize) -> Option<ToolExchange> {
        let Self::Value { kind, calls } = self else { return None };
        let is_whole = reply.end() != ReplyEnd::Cut;
        let is_short = reply.calls().iter().map(|call| call.arguments.to_string().len()).sum::<usize>()
            <= MAX_GIVEN_BACK;
        // Providers refuse arguments that are not an object.
        let can_be_given_back = reply.calls().iter().all(|call| call.arguments.is_object());
        let judged = calls.iter().copied().take(judged).collect();
        (is_whole && is_short && can_be_given_back).then(|| match kind {
            ToolKind::Submit => ToolExchange::failed(reply, judged),
            _ => ToolExchange::passed(reply, judged),
        })
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
