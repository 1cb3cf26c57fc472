//! What an agent wants with the tools that it calls.

use crate::{
    agent::{Conversation, FinishReason, Reply, Turn},
    attempt::AttemptRecord,
    contract::Contract,
    feedback::Exchange,
    judging::tools::{self, Kind, Offer},
    text::counted,
};

/// Replies of one extraction that may hand in nothing (an example is asked for, a value is only validated, and it is right). The
/// next one is an attempt like any other, so that no agent asks for ever.
pub(super) const ASIDES: u32 = 4;

/// Bytes of arguments that are given back as a call; beyond, they are shown cut, as a text is.
const MAX_GIVEN_BACK: usize = 24_000;

/// What a reply asks for.
pub(super) enum Wanted {
    /// What its text holds is to be judged.
    Text,
    /// What one of its calls holds is to be judged.
    Value { kind: Kind, index: usize },
    /// It calls tools, but hands in nothing.
    Nothing,
}

impl Wanted {
    /// The first `submit` goes before the first `validate`: whoever does both at once is done if the value is right.
    pub(super) fn of(reply: &Reply, offer: Option<&Offer>) -> Self {
        let Some(offer) = offer.filter(|_| !reply.calls().is_empty()) else { return Self::Text };
        let first = |kind| {
            let index = reply.calls().iter().position(|call| offer.kind_of(&call.name) == Some(kind))?;
            Some(Self::Value { kind, index })
        };
        first(Kind::Submit).or_else(|| first(Kind::Validate)).unwrap_or(Self::Nothing)
    }

    /// The reply as it is read: a call that is judged stands for the text.
    pub(super) fn to_read(&self, reply: Reply, offer: Option<&Offer>) -> Reply {
        let left_out = match self {
            Self::Value { index, .. } => {
                let text = offer.map(|offer| offer.submitted(&reply.calls()[*index].arguments));
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
    pub(super) fn exchange(&self, reply: &Reply) -> Option<Exchange> {
        let Self::Value { kind, index } = *self else { return None };
        let is_whole = *reply.finish_reason() != FinishReason::Length;
        let is_short = reply.calls().iter().map(|call| call.arguments.to_string().len()).sum::<usize>()
            <= MAX_GIVEN_BACK;
        // Providers refuse arguments that are no object.
        let can_be_given_back = reply.calls().iter().all(|call| call.arguments.is_object());
        (is_whole && is_short && can_be_given_back).then(|| Exchange::of(reply, index, kind == Kind::Submit))
    }
}

/// The reply goes without being an attempt: the conversation with what it is told. `valid` says so of the call that was judged.
pub(super) fn aside(
    conversation: Conversation,
    reply: &Reply,
    offer: &Offer,
    contract: &Contract,
    valid: Option<(usize, &str)>,
) -> Conversation {
    if let Some((judged, text)) = valid {
        return Exchange::of(reply, judged, false).told_in(conversation, text);
    }
    let results = reply.calls().iter().map(|call| match offer.kind_of(&call.name) {
        Some(_) => call.answered(tools::example(contract).text, false),
        None => call.answered(offer.unknown(&call.name).text, true),
    });
    conversation.with_turn(Turn::of_calls(reply)).with_turn(Turn::of_results(results))
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

/// What a valid value is answered with.
pub(super) fn valid(record: &AttemptRecord, offer: &Offer) -> String {
    tools::words::valid(record, &offer.name_of(Kind::Submit))
}
