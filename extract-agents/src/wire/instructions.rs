//! Instructions for models without a system turn.

use std::borrow::Cow;

use extract::agent::{Conversation, Part, Request, Role, Turn};

/// Stands for the turns of the system among the parameters of a request.
pub(crate) const SYSTEM_TURN: &str = "system turn";

/// Returns the request with its instructions at the start of the first turn of the user.
pub(crate) fn in_user_turn(request: &Request) -> Cow<'_, Request> {
    let turns = request.conversation.turns();
    let count = turns.iter().take_while(|turn| turn.role() == Role::System).count();
    let (system, others) = turns.split_at(count);
    if system.is_empty() {
        return Cow::Borrowed(request);
    }
    let instructions = system.iter().map(Turn::text).collect::<Vec<_>>().join("\n\n");
    let (first, rest) = match others.split_first() {
        Some((first, rest)) if first.role() == Role::User => (with_start(first, instructions), rest),
        _ => (Turn::new(Role::User, instructions), others),
    };
    let mut request = request.clone();
    request.conversation =
        rest.iter().cloned().fold(Conversation::new().with_turn(first), Conversation::with_turn);
    Cow::Owned(request)
}

fn with_start(turn: &Turn, start: String) -> Turn {
    match &*turn.parts() {
        // Templates of such models are made for a single text.
        [only] if only.as_text().is_some() => Turn::new(turn.role(), format!("{start}\n\n{}", turn.text())),
        parts => {
            let parts: Vec<_> = [Part::text(start)].into_iter().chain(parts.iter().cloned()).collect();
            Turn::of_parts(turn.role(), parts)
        }
    }
}
