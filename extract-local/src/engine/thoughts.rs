//! Thoughts before the answer.

use extract::agent::AgentError;
use toktrie::TokenId;

use super::{Engine, Writing};

/// Maximum tokens of the thoughts. A model that does not finish them answers anyway.
const MAX_TOKENS: usize = 512;

const OPEN: &str = "<think>\n";
const CLOSE: &str = "</think>";

impl Engine {
    /// Writes thoughts without a grammar, between `<think>` and `</think>`. They take at most half
    /// of the reply, and end when they repeat themselves.
    pub(super) fn think(&mut self, writing: &mut Writing<'_, '_>) -> Result<(), AgentError> {
        let (open, mut close) = (self.tokenizer.encode(OPEN), self.tokenizer.encode("\n</think>\n"));
        let room = (writing.limit / 2).min(MAX_TOKENS);
        if room <= open.len() + close.len() {
            return Ok(());
        }
        writing.add(&open);
        let mut thoughts = Vec::new();
        while writing.written.len() + close.len() < room && !writing.written.is_repeating() {
            let scores = self.read(writing.reader, writing.cancelled)?;
            let token = self.sampler.pick(&scores, None, writing.temperature);
            let Some(token) = token.filter(|token| !self.tokenizer.is_end(*token)) else { break };
            let before = thoughts.len();
            thoughts.extend(self.tokenizer.bytes(&[token]));
            if let Some(end) = end_of(&thoughts, CLOSE.as_bytes()) {
                // The token may also hold the start of the answer, which only the grammar may
                // write.
                close =
                    self.tokenizer.encode(&format!("{}\n", String::from_utf8_lossy(&thoughts[before..end])));
                break;
            }
            writing.add(&[token]);
        }
        writing.add(&close);
        writing.written.end_thoughts();
        Ok(())
    }
}

impl Writing<'_, '_> {
    fn add(&mut self, tokens: &[TokenId]) {
        self.written.extend(tokens);
        self.reader.pending.extend(tokens);
    }
}

/// The end of `needle` in `text`, which has at most as many bytes as 512 tokens.
fn end_of(text: &[u8], needle: &[u8]) -> Option<usize> {
    let start = text.windows(needle.len()).position(|window| window == needle)?;
    Some(start + needle.len())
}
