//! The backend in pure Rust.

use toktrie::TokenId;

use super::{
    Runtime,
    qwen2::{Memory, Qwen2},
};
use crate::{
    error::LocalModelError,
    gguf::{Gguf, first_line},
    prefixes::SEQUENCES,
};

/// Weights and one memory per sequence.
pub(crate) struct Candle {
    model: Qwen2,
    memories: [Memory; SEQUENCES],
}

impl Candle {
    /// Reads the weights; prompt and reply together may have `context` tokens.
    pub(crate) fn load(mut gguf: Gguf, context: usize) -> Result<Self, LocalModelError> {
        let model = Qwen2::load(&mut gguf, context)?;
        Ok(Self { memories: std::array::from_fn(|_| model.memory()), model })
    }
}

impl Runtime for Candle {
    fn read(&mut self, sequence: usize, position: usize, tokens: &[TokenId]) -> Result<Vec<f32>, String> {
        let memory = &mut self.memories[sequence];
        memory.cut(position);
        debug_assert_eq!(memory.len(), position, "tokens are read without gaps");
        self.model.forward(tokens, memory).map_err(|error| first_line(&error))
    }

    fn forget(&mut self, sequence: usize) {
        self.memories[sequence] = self.model.memory();
    }
}
