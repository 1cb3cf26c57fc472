//! The number of passes over the chunks of a document.

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
    ends_early: bool,
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

    /// Returns whether another pass follows the pass with this number.
    pub(crate) fn goes_on(self, pass: u32, has_added: bool) -> bool {
        pass < self.most && (has_added || !self.ends_early)
    }
}
