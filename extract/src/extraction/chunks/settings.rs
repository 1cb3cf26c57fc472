//! Settings of an extraction in chunks.

use crate::{
    document::{Chunk, Chunks, Document},
    error::SettingsError,
    metrics::{ChunkMetrics, ExtractionMetrics},
};

/// How a document is extracted in chunks.
#[derive(Debug, Clone, Default)]
pub(in crate::extraction) struct ChunkingSettings {
    pub(in crate::extraction) chunks: Option<Chunks>,
    pub(in crate::extraction) at_once: usize,
    pub(in crate::extraction) passes: Passes,
    pub(in crate::extraction) accepts_gaps: bool,
}

impl ChunkingSettings {
    /// The chunks to ask about; `None` if the whole document is one question.
    pub(in crate::extraction) fn chunks_of(
        &self,
        document: Option<&Document>,
    ) -> Result<Option<Vec<Chunk>>, SettingsError> {
        let Some(chunks) = &self.chunks else { return Ok(None) };
        let document = document.ok_or(SettingsError::ChunksWithoutDocument)?;
        let chunks = document.chunks(chunks).map_err(SettingsError::Chunks)?;
        // The answer to the only chunk is the whole, so nothing has to be relaxed or merged.
        let is_whole = chunks.is_empty() || chunks.len() == 1 && self.passes.is_one();
        Ok((!is_whole).then_some(chunks))
    }

    /// The metrics of the only chunk of a document, made of the `metrics` of the extraction.
    pub(in crate::extraction) fn only_chunk(
        &self,
        document: Option<&Document>,
        metrics: &ExtractionMetrics,
    ) -> Option<ChunkMetrics> {
        let document = document.filter(|document| self.chunks.is_some() && !document.text().is_empty())?;
        Some(ChunkMetrics::new(0..document.text().len(), metrics.attempts, 1, metrics.elapsed))
    }
}

/// How many passes are made over each chunk of a document.
///
/// Every pass after the first shows the agent what was found in the chunk, and asks for what is
/// missing.
///
/// ```
/// use extract::{Extractable, Passes, document::{Chunks, Document}, testing::{ScriptedAgent, block_on}};
///
/// let document = Document::from_text("Ann met Bob. Then Cleo came.");
/// let agent = ScriptedAgent::new([r#"["Ann"]"#, r#"["Bob", "Cleo"]"#, "[]"]);
/// let (names, metrics) = block_on(
///     Vec::<String>::extract(&agent, "All names.")
///         .document(&document)
///         .chunks(Chunks::chars(100))
///         .passes(Passes::until_nothing_new(5)),
/// )?;
/// assert_eq!(names, ["Ann", "Bob", "Cleo"]);
/// assert_eq!(metrics.chunks[0].passes, 3);
/// # Ok::<(), extract::ExtractionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passes {
    most: u32,
    /// Whether a pass that added nothing is the last.
    pub(crate) ends_early: bool,
}

impl Default for Passes {
    fn default() -> Self {
        Self::exactly(1)
    }
}

impl Passes {
    /// Makes exactly `passes` passes over each chunk; 0 counts as 1.
    #[must_use]
    pub fn exactly(passes: u32) -> Self {
        Self { most: passes.max(1), ends_early: false }
    }

    /// Makes passes over a chunk until one adds nothing, and at most `most`; 0 counts as 1. A first
    /// pass that finds nothing is the only one.
    #[must_use]
    pub fn until_nothing_new(most: u32) -> Self {
        Self { most: most.max(1), ends_early: true }
    }

    pub(crate) fn is_one(self) -> bool {
        self.most == 1
    }

    /// Returns whether another pass may follow the pass with this number.
    pub(crate) fn has_another(self, pass: u32) -> bool {
        pass < self.most
    }
}
