//! The tokens of a reply, and its text while they come.

use std::{mem, sync::Arc};

use extract::agent::{RepetitionWatch, Request};
use toktrie::TokenId;

use crate::gguf::Tokenizer;

/// What is written of a reply. A token may be half a character, so a piece is told when its last character is whole.
pub(super) struct Written<'w> {
    tokens: Vec<TokenId>,
    tokenizer: Arc<Tokenizer>,
    tell: Option<&'w mut dyn FnMut(String)>,
    watch: RepetitionWatch<'w>,
    /// Bytes that wait for the rest of their character.
    held: Vec<u8>,
}

impl<'w> Written<'w> {
    pub(super) fn new(
        request: &'w Request,
        tokenizer: Arc<Tokenizer>,
        tell: Option<&'w mut dyn FnMut(String)>,
    ) -> Self {
        let watch = RepetitionWatch::new(request);
        Self { tokens: Vec::new(), tokenizer, tell, watch, held: Vec::new() }
    }

    /// Whether the reply only repeats itself.
    pub(super) fn is_repeating(&self) -> bool {
        self.watch.is_repeating()
    }

    pub(super) fn tokens(&self) -> &[TokenId] {
        &self.tokens
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn extend(&mut self, tokens: &[TokenId]) {
        self.tokens.extend_from_slice(tokens);
        let bytes = self.tokenizer.bytes(tokens);
        self.watch.push(&bytes);
        let Some(tell) = &mut self.tell else { return };
        self.held.extend(bytes);
        let whole = match std::str::from_utf8(&self.held) {
            Ok(text) => text.len(),
            // Of what is no UTF-8 at all nothing more is told; the reply fails for it.
            Err(error) => error.valid_up_to(),
        };
        let rest = self.held.split_off(whole);
        let text = mem::replace(&mut self.held, rest);
        if let Ok(text) = String::from_utf8(text)
            && !text.is_empty()
        {
            tell(text);
        }
    }
}
