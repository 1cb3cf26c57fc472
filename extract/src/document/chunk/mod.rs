//! Chunks: the parts of a document that requests ask about separately.

mod chunk_error;
mod chunks;
mod one_chunk;
mod pack;
mod sentences;
mod units;

pub use self::{chunk_error::ChunkError, chunks::Chunks, one_chunk::Chunk};
