//! Tests of what users can add to the prompt.

mod conversations;
mod instructions;
mod shots;
mod sizes;
mod thoughts;

use extract::agent::{Conversation, Role, Turn};

/// Who speaks, and what.
fn turns(conversation: &Conversation) -> Vec<(Role, &str)> {
    conversation.turns().iter().map(|turn: &Turn| (turn.role(), turn.text())).collect()
}
