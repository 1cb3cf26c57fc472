//! The chat format of the models, `ChatML`.

use extract::agent::Conversation;
use toktrie::TokenId;

use crate::{
    error::LocalModelError,
    gguf::{Gguf, Tokenizer},
};

/// The tokens of a conversation.
pub(super) struct ChatPrompt {
    pub(super) tokens: Vec<TokenId>,
    /// The number of tokens of the first turn, which for an extraction holds the contract and is
    /// shared with other prompts.
    pub(super) first_turn: usize,
}

/// Writes conversations with the control tokens of one model.
pub(super) struct ChatMl {
    start: TokenId,
    end: TokenId,
}

impl ChatMl {
    /// Looks up the control tokens.
    pub(super) fn new(gguf: &Gguf, tokenizer: &Tokenizer) -> Result<Self, LocalModelError> {
        let control = |name: &str| {
            let missing =
                || gguf.unsupported(format!("it was not made for chats in ChatML: it has no token `{name}`"));
            tokenizer.control(name).ok_or_else(missing)
        };
        Ok(Self { start: control("<|im_start|>")?, end: control("<|im_end|>")? })
    }

    /// The tokens of the turns, and of the start of the next one, which the model writes.
    ///
    /// Control tokens are inserted between the texts and never parsed from them.
    pub(super) fn prompt(&self, conversation: &Conversation, tokenizer: &Tokenizer) -> ChatPrompt {
        let mut prompt = ChatPrompt { tokens: Vec::new(), first_turn: 0 };
        for turn in conversation.turns() {
            prompt.tokens.push(self.start);
            prompt.tokens.extend(tokenizer.encode(&format!("{}\n{}", turn.role(), turn.text())));
            prompt.tokens.push(self.end);
            prompt.tokens.extend(tokenizer.encode("\n"));
            if prompt.first_turn == 0 {
                prompt.first_turn = prompt.tokens.len();
            }
        }
        prompt.tokens.push(self.start);
        prompt.tokens.extend(tokenizer.encode("assistant\n"));
        prompt
    }
}
