//! The settings of a job.

use std::{mem, path::PathBuf, pin::Pin, sync::Arc, time::Duration};

use extract::metrics::Prices;

use super::{
    batches::Batches,
    clock::{Clock, RealClock},
    confidence_columns::ParquetColumns,
    journal::{JournalError, Store},
    outcome::OnDeadLetter,
    output::JobOutput,
    progress::OnProgress,
    reviewed::ReviewedValues,
};

/// The treatment of documents without an answer when a job is run again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Retry {
    /// Nothing: having no answer is their outcome.
    #[default]
    Never,
    /// Ask about them again, with the agent and the settings of this run. Documents with an answer
    /// keep it, whoever gave it and with whichever settings, as long as content and schema are the
    /// same.
    Failed,
    /// Judge their recorded attempts again, without asking, and accept them without their [broken
    /// items](extract::Extraction::keep_valid_items). Documents of which nothing can be kept, and
    /// documents extracted in chunks, stay as they are. Documents with an answer keep it.
    InPart,
}

/// The settings of a job, except each extraction's own.
pub(super) struct Options<'a> {
    pub(super) journal: Option<PathBuf>,
    pub(super) concurrent: usize,
    pub(super) requests_per_minute: Option<u32>,
    pub(super) token_budget: Option<u64>,
    pub(super) prices: Option<Prices>,
    pub(super) version: String,
    pub(super) redacts: bool,
    pub(super) bound: Duration,
    pub(super) poison_after: u32,
    pub(super) poison_among: usize,
    pub(super) retry: Retry,
    pub(super) reviewed: ReviewedValues,
    pub(super) shutdown: Option<Pin<Box<dyn Future<Output = ()> + Send + 'a>>>,
    pub(super) grace: Duration,
    pub(super) shows_progress: bool,
    pub(super) on_progress: Option<OnProgress<'a>>,
    pub(super) expected: Option<u64>,
    pub(super) outputs: Vec<JobOutput>,
    pub(super) table_columns: ParquetColumns,
    pub(super) partial: Option<PathBuf>,
    pub(super) on_dead_letter: Option<OnDeadLetter<'a>>,
    pub(super) batches: Option<Batches>,
    pub(super) clock: Arc<dyn Clock>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            journal: None,
            concurrent: 16,
            requests_per_minute: None,
            token_budget: None,
            prices: None,
            version: String::new(),
            redacts: false,
            bound: Duration::from_secs(3600),
            poison_after: 3,
            poison_among: 4,
            retry: Retry::default(),
            reviewed: ReviewedValues::new(),
            shutdown: None,
            grace: Duration::from_secs(30),
            shows_progress: false,
            on_progress: None,
            expected: None,
            outputs: Vec::new(),
            table_columns: ParquetColumns::default(),
            partial: None,
            on_dead_letter: None,
            batches: None,
            clock: Arc::new(RealClock),
        }
    }
}

impl Options<'_> {
    pub(super) fn open(&mut self) -> Result<Store, JournalError> {
        let mut store = match &self.journal {
            Some(path) => Store::open_or_create(path)?,
            None => Store::in_memory()?,
        };
        store.set_reviewed(mem::take(&mut self.reviewed));
        Ok(store)
    }
}
