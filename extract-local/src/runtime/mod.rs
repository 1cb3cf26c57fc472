//! What computes the scores of the next token.

pub(super) mod candle;
#[cfg(feature = "llama-cpp")]
pub(super) mod llama_cpp;
mod matrix;
mod qwen2;
mod recode;

use toktrie::TokenId;

/// A model that reads tokens into numbered sequences. Grammar, chat format, sampling and the choice of the
/// sequence are not its business.
pub(super) trait Runtime {
    /// Reads `tokens`, at least one, into `sequence` from `position` on, and returns a score for each token
    /// of the vocabulary to come next. What the sequence held from `position` on is forgotten.
    fn read(&mut self, sequence: usize, position: usize, tokens: &[TokenId]) -> Result<Vec<f32>, String>;

    /// Frees what a sequence holds.
    fn forget(&mut self, sequence: usize);
}
