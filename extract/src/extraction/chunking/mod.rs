//! Extraction of documents in chunks.

mod passes;

pub use self::passes::Passes;
use crate::{
    document::{Chunk, Chunks, Document},
    error::SettingsError,
    metrics::{ChunkMetrics, ExtractionMetrics},
};

/// How a document is extracted in chunks.
#[derive(Debug, Clone, Default)]
pub(super) struct ChunkingSettings {
    pub(super) chunks: Option<Chunks>,
    pub(super) at_once: usize,
    pub(super) passes: Passes,
    pub(super) accepts_gaps: bool,
}

impl ChunkingSettings {
    /// The chunks to ask about; `None` if the whole document is one question.
    pub(super) fn chunks_of(&self, document: Option<&Document>) -> Result<Option<Vec<Chunk>>, SettingsError> {
        let Some(chunks) = &self.chunks else { return Ok(None) };
        let document = document.ok_or(SettingsError::NoDocument)?;
        let chunks = document.chunks(chunks).map_err(SettingsError::Chunks)?;
        // The answer to the only chunk is the whole, so nothing has to be relaxed or merged.
        let is_whole = chunks.is_empty() || chunks.len() == 1 && self.passes.is_one();
        Ok((!is_whole).then_some(chunks))
    }

    /// The metrics of the only chunk of a document, made of the `metrics` of the extraction.
    pub(super) fn only_chunk(
        &self,
        document: Option<&Document>,
        metrics: &ExtractionMetrics,
    ) -> Option<ChunkMetrics> {
        let document = document.filter(|document| self.chunks.is_some() && !document.text().is_empty())?;
        Some(ChunkMetrics::new(0..document.text().len(), metrics.attempts, 1, metrics.elapsed))
    }
}
