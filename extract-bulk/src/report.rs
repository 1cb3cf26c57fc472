//! The report of a job.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use extract::{
    TokenUsage,
    metrics::{Cost, ModelUsage},
};
use serde::Serialize;

use super::journal::{DeadLetters, Journal, JournalError, Store};

/// The result of a job.
///
/// `Display` prints the numbers on a few lines for people.
#[derive(Clone, Default, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// Documents read from the source; each key counts once.
    pub documents: u64,
    /// Documents of the source, read or not, if known: it says so itself, was read to its end, or
    /// somebody [said so](super::Bulk::expect_documents).
    pub expected: Option<u64>,
    /// Documents with an answer, including partial ones.
    pub done: u64,
    /// Documents with a partial answer.
    pub in_part: u64,
    /// Documents asked about in this run, with an answer, whose chunks
    /// [state a value in different ways](extract::metrics::Conflict).
    pub in_conflict: u64,
    /// Documents without an answer: the [dead letters](Self::dead_letters).
    pub failed: u64,
    /// How many of these outcomes were in the journal before, so that no question was needed.
    pub resumed: u64,
    /// Documents that were processed again, because their content, the schema, the instructions,
    /// the agent or another relevant setting differs from the outcome in the journal.
    pub changed: u64,
    /// How often a document was repeated with the same key and content; it counts as one document.
    pub repeated: u64,
    /// Dead letters that were in flight in [several runs that crashed](super::Bulk::poison_after).
    pub poisoned: u64,
    /// Requests to the agent in this run, including failed ones.
    pub calls: u64,
    /// Tokens of this run.
    pub usage: TokenUsage,
    /// The same tokens by model.
    pub per_model: Vec<ModelUsage>,
    /// The cost of this run, if there are [prices](super::Bulk::prices).
    pub cost: Option<Cost>,
    /// Wall time of this run.
    pub elapsed: Duration,
    /// Why the job ended.
    pub ended: Ended,
    /// Why the agent was unreachable, if [that](Ended::Unreachable) ended the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_error: Option<String>,
    /// The output files, which are written when the job is complete.
    pub outputs: Vec<PathBuf>,
    #[serde(skip)]
    pub(super) journal: Option<PathBuf>,
    /// The journal, if it was in memory.
    #[serde(skip)]
    pub(super) store: Option<Arc<Store>>,
}

/// Why a job ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ended {
    /// Every document has an outcome.
    Complete,
    /// The [token budget](super::Bulk::token_budget) was used up.
    TokenBudget,
    /// The [signal](super::Bulk::shutdown) was received.
    Shutdown,
    /// A batch is open, and the job [does not wait](super::Batches::come_back_later) for it.
    Waiting,
    /// The agent was unreachable for longer than [the bound](super::Bulk::transport_bound) allows, with more
    /// than one document left, or before it answered anything.
    Unreachable,
    /// An error ended the job. It contains this report.
    #[default]
    Failed,
}

impl Report {
    /// Returns whether every document has an outcome.
    pub fn is_complete(&self) -> bool {
        self.ended == Ended::Complete
    }

    /// Returns the documents without an answer, each with all its attempts, read from the journal.
    ///
    /// # Errors
    ///
    /// If the journal cannot be opened, for example because the next run has it open.
    ///
    /// ```
    /// use extract::testing::{ScriptedAgent, block_on};
    /// use extract_bulk::{BulkExt as _, Doc};
    ///
    /// let agent = ScriptedAgent::new(["many", "a lot"]);
    /// let job = Vec::<u8>::bulk(&agent, [Doc::new("spider", "How many legs?")]);
    /// let report = block_on(job.configure(|extraction| extraction.max_attempts(2)))?;
    /// assert_eq!((report.done, report.failed), (0, 1));
    /// for letter in report.dead_letters()? {
    ///     let letter = letter?;
    ///     assert_eq!((&*letter.key, letter.failure.history.len()), ("spider", 2));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dead_letters(&self) -> Result<DeadLetters, JournalError> {
        self.open()?.dead_letters()
    }

    fn open(&self) -> Result<Journal, JournalError> {
        match (&self.store, &self.journal) {
            (Some(store), _) => Ok(Journal::of_store(Arc::clone(store))),
            (None, path) => Journal::open(path.as_deref().unwrap_or(std::path::Path::new(""))),
        }
    }

    /// Returns advice for people on how to get an outcome for every document; `None` if each has
    /// one.
    pub fn how_to_go_on(&self) -> Option<String> {
        let again = "run the same job again: what is in the journal is not asked about again";
        match self.ended {
            Ended::Complete => None,
            _ if self.journal.is_none() => {
                Some("run it with `.journal(path)`: this one was in memory".to_owned())
            }
            Ended::TokenBudget => Some(format!("the token budget is used up; {again}")),
            Ended::Waiting => Some(format!("a batch is open; when it has ended, {again}")),
            Ended::Shutdown => Some(format!("it was shut down; {again}")),
            Ended::Unreachable => {
                let why = self.agent_error.as_ref().map(|error| format!(" ({error})")).unwrap_or_default();
                Some(format!("the agent could not be reached{why}; when it can, {again}"))
            }
            Ended::Failed => Some(format!("when the reason is removed, {again}")),
        }
    }
}

/// `3 documents: 2 done, 1 failed; …`
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { documents, done, in_part, in_conflict, failed, .. } = self;
        let Self { resumed, changed, repeated, poisoned, calls, .. } = self;
        match self.expected.filter(|expected| expected > documents) {
            Some(expected) => write!(f, "{documents} of {expected} documents: {done} done, {failed} failed")?,
            None => write!(f, "{documents} documents: {done} done, {failed} failed")?,
        }
        let parts = [
            (*in_part, "in part"),
            (*in_conflict, "in conflict"),
            (*poisoned, "poisoned"),
            (*resumed, "known before"),
            (*changed, "changed"),
            (*repeated, "repeated"),
        ];
        let parts: Vec<_> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if !parts.is_empty() {
            write!(f, " ({})", parts.join(", "))?;
        }
        write!(f, "; {calls} requests, {}, {:.1} s", self.usage, self.elapsed.as_secs_f64())?;
        if let Some(cost) = &self.cost {
            write!(f, ", cost {cost}")?;
        }
        if let Some(next) = self.how_to_go_on() {
            write!(f, "; not complete: {next}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report")
            .field("documents", &self.documents)
            .field("expected", &self.expected)
            .field("done", &self.done)
            .field("in_part", &self.in_part)
            .field("in_conflict", &self.in_conflict)
            .field("failed", &self.failed)
            .field("resumed", &self.resumed)
            .field("changed", &self.changed)
            .field("repeated", &self.repeated)
            .field("poisoned", &self.poisoned)
            .field("calls", &self.calls)
            .field("usage", &self.usage)
            .field("elapsed", &self.elapsed)
            .field("ended", &self.ended)
            .field("outputs", &self.outputs)
            .finish_non_exhaustive()
    }
}
