//! Tests of additions by users to the prompt.

mod conversations;
mod instructions;
mod shots;
mod sizes;
mod thoughts;

use extract::agent::{Conversation, Role, Turn};

/// Returns the role and the text of each turn.
fn turns(conversation: &Conversation) -> Vec<(Role, &str)> {
    conversation.turns().iter().map(|turn: &Turn| (turn.role(), turn.text())).collect()
}
