//! Computes the scores of the next token.

pub(super) mod candle;
#[cfg(feature = "llama-cpp")]
pub(super) mod llama_cpp;
mod matrix;
mod qwen2;
mod requantize;

use toktrie::TokenId;

/// A model that reads tokens into numbered sequences. Grammar, chat format, sampling and the choice
/// of the sequence are handled elsewhere.
pub(super) trait Runtime {
    /// Reads `tokens`, at least one, into `sequence` from `position`, and returns a score for each
    /// possible next token. The content of the sequence from `position` is forgotten.
    fn read(&mut self, sequence: usize, position: usize, tokens: &[TokenId]) -> Result<Vec<f32>, String>;

    /// Frees the memory of a sequence.
    fn forget(&mut self, sequence: usize);
}
