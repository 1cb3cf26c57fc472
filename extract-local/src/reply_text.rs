//! Collects the tokens of a reply, and streams its text.

use std::{mem, sync::Arc};

use extract::agent::{RepetitionWatch, Request, TokenProbability};
use toktrie::TokenId;

use crate::{gguf::Tokenizer, sampler::TokenLikelihood};

/// A reply that is being written. A token may be half a character, so a delta is sent once its last
/// character is complete.
pub(super) struct ReplyText<'w> {
    tokens: Vec<TokenId>,
    /// How likely each token was; `None` for tokens that the model did not choose.
    likelihoods: Vec<Option<TokenLikelihood>>,
    /// How many tokens are thoughts.
    thoughts: usize,
    tokenizer: Arc<Tokenizer>,
    sink: Option<&'w mut dyn FnMut(String)>,
    request: &'w Request,
    watch: RepetitionWatch<'w>,
    /// The bytes of an incomplete character.
    held: Vec<u8>,
}

impl<'w> ReplyText<'w> {
    pub(super) fn new(
        request: &'w Request,
        tokenizer: Arc<Tokenizer>,
        sink: Option<&'w mut dyn FnMut(String)>,
    ) -> Self {
        let watch = RepetitionWatch::new(request);
        Self {
            tokens: Vec::new(),
            likelihoods: Vec::new(),
            thoughts: 0,
            tokenizer,
            sink,
            request,
            watch,
            held: Vec::new(),
        }
    }

    /// Returns whether the reply only repeats itself.
    pub(super) fn is_repeating(&self) -> bool {
        self.watch.is_repeating()
    }

    /// Ends the thoughts, which are not part of the answer. They may end inside a character or
    /// contain broken ones, and whether they repeated themselves no longer matters.
    pub(super) fn end_thoughts(&mut self) {
        let text = String::from_utf8_lossy(&mem::take(&mut self.held)).into_owned();
        if let Some(sink) = self.sink.as_mut().filter(|_| !text.is_empty()) {
            sink(text);
        }
        self.thoughts = self.tokens.len();
        self.watch = RepetitionWatch::new(self.request);
    }

    /// Returns the tokens of the thoughts, and the tokens of the answer.
    pub(super) fn parts(&self) -> (&[TokenId], &[TokenId]) {
        self.tokens.split_at(self.thoughts)
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Adds tokens that the grammar forced, or that are not part of the answer.
    pub(super) fn extend(&mut self, tokens: &[TokenId]) {
        self.likelihoods.resize(self.tokens.len() + tokens.len(), None);
        self.add(tokens);
    }

    /// Adds a token that the model chose.
    pub(super) fn push(&mut self, token: TokenId, likelihood: Option<TokenLikelihood>) {
        self.likelihoods.push(likelihood);
        self.add(&[token]);
    }

    /// Returns how likely the tokens of the answer are, by their bytes in the reply, whose answer
    /// begins after `before` bytes and ends with `end`.
    pub(super) fn probabilities(&self, before: usize, end: usize) -> Vec<TokenProbability> {
        let mut start = before;
        let (_, answer) = self.parts();
        let likelihoods = self.likelihoods.iter().skip(self.thoughts);
        let tokens = answer.iter().zip(likelihoods).map(|(token, likelihood)| {
            let range = start..start + self.tokenizer.bytes(&[*token]).len();
            start = range.end;
            match likelihood {
                Some(TokenLikelihood { among_all, among_allowed }) => {
                    TokenProbability::new(range, *among_all).with_constrained(*among_allowed)
                }
                None => TokenProbability::forced(range),
            }
        });
        tokens.filter(|token| !token.range.is_empty() && token.range.end <= end).collect()
    }

    fn add(&mut self, tokens: &[TokenId]) {
        self.tokens.extend_from_slice(tokens);
        let bytes = self.tokenizer.bytes(tokens);
        self.watch.push(&bytes);
        let Some(sink) = &mut self.sink else { return };
        self.held.extend(bytes);
        let whole = match std::str::from_utf8(&self.held) {
            Ok(text) => text.len(),
            // Invalid UTF-8 is not sent; the reply fails later.
            Err(error) => error.valid_up_to(),
        };
        let rest = self.held.split_off(whole);
        let text = mem::replace(&mut self.held, rest);
        if let Ok(text) = String::from_utf8(text)
            && !text.is_empty()
        {
            sink(text);
        }
    }
}
