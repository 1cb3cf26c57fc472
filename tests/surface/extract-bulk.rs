// batches/mod.rs
pub use self::record::{BatchState, JournalBatch};
#[derive(Clone)]
pub struct Batches {}
impl Batches {
    pub fn through(agent: impl BatchAgent + 'static) -> Self {}
    #[must_use]
    pub fn up_to(mut self, requests: usize) -> Self {}
    #[must_use]
    pub fn poll_every(mut self, interval: Duration) -> Self {}
    #[must_use]
    pub fn ask_directly_below(mut self, requests: usize) -> Self {}
    #[must_use]
    pub fn ask_directly_after(mut self, time: Duration) -> Self {}
    #[must_use]
    pub fn queued_tokens(mut self, tokens: u64) -> Self {}
    #[must_use]
    pub fn come_back_later(mut self) -> Self {}
}

// batches/record.rs
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct JournalBatch {
    pub id: Option<String>,
    pub mark: String,
    pub state: BatchState,
    pub requests: u64,
    pub age_seconds: u64,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub enum BatchState {
    Unknown,
    Sent,
    Cancelled,
}

// builder/mod.rs
#[must_use = "a job asks nothing until it is awaited"]
pub struct Bulk<'a, T, C = NoContext> {}
impl<'a, T: 'a, C: 'a> Bulk<'a, T, C> {
    pub fn journal(mut self, path: impl AsRef<Path>) -> Self {}
    pub fn concurrent(mut self, documents: usize) -> Self {}
    pub fn requests_per_minute(mut self, requests: u32) -> Self {}
    pub fn token_budget(mut self, tokens: u64) -> Self {}
    pub fn batches(mut self, batches: Batches) -> Self {}
    pub fn prices(mut self, prices: Prices) -> Self {}
    pub fn configure<D>(
        self,
        configure: impl Fn(
            Extraction<'a, T, C>,
        ) -> Extraction<'a, T, D> + Send + Sync + 'a,
    ) -> Bulk<'a, T, D> {}
    pub fn version(mut self, version: impl Into<String>) -> Self {}
    pub fn redact_journal(mut self, redact: bool) -> Self {}
    pub fn transport_bound(mut self, bound: Duration) -> Self {}
    pub fn poison_after(mut self, runs: u32) -> Self {}
    pub fn poison_among(mut self, documents: usize) -> Self {}
    pub fn retry(mut self, retry: Retry) -> Self {}
    pub fn reviewed(
        mut self,
        reviewed: impl IntoIterator<Item = (String, ReviewedValue)>,
    ) -> Self {}
    pub fn shutdown(mut self, signal: impl Future<Output = ()> + Send + 'a) -> Self {}
    pub fn grace(mut self, grace: Duration) -> Self {}
    pub fn progress(mut self, show: bool) -> Self {}
    pub fn on_progress(mut self, callback: impl FnMut(&Progress) + Send + 'a) -> Self {}
    pub fn on_dead_letter(
        mut self,
        callback: impl FnMut(&DeadLetter) + Send + 'a,
    ) -> Self {}
    pub fn expect_documents(mut self, documents: u64) -> Self {}
}
impl<'a, T: WithContext<C> + Send + 'a, C: 'a> Bulk<'a, T, C> {
    pub fn outcomes(self) -> Outcomes<'a, T> {}
    pub async fn dry_run(self) -> Result<Estimate, BulkError> {}
}

// builder/outputs.rs
impl<'a, T: 'a, C: 'a> Bulk<'a, T, C> {
    pub fn into_jsonl(mut self, path: impl AsRef<Path>) -> Self {}
    pub fn partial_jsonl(mut self, path: impl AsRef<Path>) -> Self {}
    #[cfg(feature = "parquet")]
    pub fn into_parquet(mut self, path: impl AsRef<Path>) -> Self {}
    #[cfg(feature = "parquet")]
    pub fn confidence_columns(mut self) -> Self {}
}

// confidence_columns.rs
#[derive(Debug, Clone, Default)]
pub struct ConfidenceColumns {}
impl ConfidenceColumns {
    pub fn new(columns: impl IntoIterator<Item = Path>) -> Self {}
    pub fn names(&self) -> Vec<String> {}
    pub fn row(&self, confidences: &Confidences) -> Vec<Option<f64>> {}
}

// doc.rs
#[derive(Debug, Clone)]
pub struct Doc {}
impl Doc {
    pub fn new(key: impl Into<String>, prompt: impl Into<Prompt>) -> Self {}
    #[must_use]
    pub fn meta(mut self, meta: impl Into<Value>) -> Self {}
    #[must_use]
    pub fn document(mut self, document: &Document) -> Self {}
    #[must_use]
    pub fn chunks(mut self, chunks: Chunks) -> Self {}
    pub fn key(&self) -> &str {}
}

// error.rs
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BulkError {
    Journal(JournalError),
    #[non_exhaustive]
    Source { error: SourceError, report: Box<Report> },
    #[non_exhaustive]
    DuplicateKey { key: String, report: Box<Report> },
    Setup(ExtractionError),
    #[non_exhaustive]
    Agent { message: String, report: Box<Report> },
    #[non_exhaustive]
    OpenBatches { open: usize },
    #[non_exhaustive]
    Output { path: PathBuf, error: io::Error, report: Box<Report> },
}
impl BulkError {
    pub fn report(&self) -> Option<&Report> {}
}

// estimate.rs
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Estimate {
    pub documents: u64,
    pub known: u64,
    pub failed: u64,
    pub to_ask: u64,
    pub changed: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost: Option<Cost>,
}

// ext.rs
pub trait BulkExt: Extractable {
    fn bulk<'a, A: Agent + ?Sized, K>(
        agent: &'a A,
        documents: impl IntoSource<'a, K>,
    ) -> Bulk<'a, Self>
    where
        Self: Send,
    {}
}
pub trait ContractBulkExt {
    fn bulk<'a, A: Agent + ?Sized, K>(
        &self,
        agent: &'a A,
        documents: impl IntoSource<'a, K>,
    ) -> Bulk<'a, Value>;
}

// journal/batches.rs
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CancelError {
    Journal(JournalError),
    #[non_exhaustive]
    Agent { batch: String, error: AgentError },
}
impl Journal {
    pub async fn cancel_batches(
        &self,
        agent: &dyn BatchAgent,
    ) -> Result<Vec<JournalBatch>, CancelError> {}
    pub fn forget_batches(&self) -> Result<Vec<JournalBatch>, JournalError> {}
}

// journal/error.rs
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    #[non_exhaustive]
    Held { path: PathBuf, by: Option<Holder> },
    #[non_exhaustive]
    Newer { path: PathBuf, found: u32, known: u32 },
    #[non_exhaustive]
    Older { path: PathBuf, found: u32, known: u32 },
    #[non_exhaustive]
    Damaged { path: PathBuf, reason: String },
    #[non_exhaustive]
    NotAJournal { path: PathBuf },
    #[non_exhaustive]
    Missing { path: PathBuf },
    #[non_exhaustive]
    Busy { path: PathBuf },
    #[non_exhaustive]
    ReadOnly { path: PathBuf },
    #[non_exhaustive]
    Full { path: PathBuf },
    #[non_exhaustive]
    Io { path: PathBuf, message: String },
}

// journal/letters.rs
pub struct JournalOutcomes(pub(super) Records);
pub struct DeadLetters(pub(super) Records);

// journal/line.rs
impl<T: Serialize> Outcome<T> {
    pub fn to_line(&self) -> serde_json::Result<String> {}
}

// journal/merged.rs
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Merged {
    pub added: u64,
    pub replaced: u64,
    pub kept: u64,
}

// journal/mod.rs
pub use self::{
    batches::CancelError, error::JournalError, letters::{DeadLetters, JournalOutcomes},
    merged::Merged, open::{Compacted, Journal},
    output::OutputFile, owner::Holder, summary::JournalSummary,
};

// journal/open.rs
#[derive(Debug)]
pub struct Journal {}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Compacted {
    pub before: u64,
    pub after: u64,
}
impl Journal {
    pub fn open(path: impl AsRef<Path>) -> Result<Self, JournalError> {}
    pub fn read(path: impl AsRef<Path>) -> Result<Self, JournalError> {}
    pub fn with_reviewed(
        mut self,
        reviewed: impl IntoIterator<Item = (String, ReviewedValue)>,
    ) -> Result<Self, JournalError> {}
    pub fn inspect(&self) -> Result<JournalSummary, JournalError> {}
    pub fn get(&self, key: &str) -> Result<Option<Outcome>, JournalError> {}
    pub fn outcomes(&self) -> JournalOutcomes {}
    pub fn dead_letters(&self) -> Result<DeadLetters, JournalError> {}
    pub fn write_jsonl(&self, path: impl AsRef<Path>) -> Result<u64, JournalError> {}
    #[cfg(feature = "parquet")]
    #[must_use]
    pub fn with_confidence_columns(self) -> Self {}
    #[cfg(feature = "parquet")]
    pub fn write_parquet(
        &self,
        path: impl AsRef<Path>,
        contract: &Contract,
    ) -> Result<u64, JournalError> {}
    pub fn export(&self, mut to: impl io::Write) -> Result<u64, JournalError> {}
    pub fn merge(&mut self, other: &Self) -> Result<Merged, JournalError> {}
    pub fn compact(&mut self) -> Result<Compacted, JournalError> {}
}

// journal/output.rs
#[derive(Debug)]
pub struct OutputFile {}
impl OutputFile {
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {}
    pub fn finish(mut self) -> io::Result<()> {}
}

// journal/owner.rs
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Holder {
    pub process: u32,
    pub program: String,
    pub host: Option<String>,
    pub since: SystemTime,
}

// journal/summary.rs
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct JournalSummary {
    pub documents: u64,
    pub expected: Option<u64>,
    pub missing: u64,
    pub done: u64,
    pub in_part: u64,
    pub in_conflict: u64,
    pub failed: u64,
    pub failures: BTreeMap<String, u64>,
    pub in_flight: u64,
    pub batches: Vec<JournalBatch>,
    pub usage: TokenUsage,
    pub per_model: Vec<ModelUsage>,
    pub runs: u64,
    pub crashed_runs: u64,
    pub bytes: u64,
    pub format: u32,
    pub is_running: bool,
    pub running: Option<Holder>,
}

// lib.rs
pub use self::{
    batches::{BatchState, Batches, JournalBatch},
    builder::Bulk, confidence_columns::ConfidenceColumns, doc::Doc, error::BulkError,
    estimate::Estimate, ext::{BulkExt, ContractBulkExt},
    journal::{
        CancelError, Compacted, DeadLetters, Holder, Journal, JournalError,
        JournalOutcomes, JournalSummary, Merged, OutputFile,
    },
    options::Retry, outcome::{DeadLetter, Failure, Outcome, Status},
    progress::{Progress, ProgressLine},
    report::{Ended, Report},
    reviewed::ReviewedValue,
    source::{FromIterator, FromStream, IntoSource, Source, SourceError, SourceItem},
    stream::Outcomes,
};

// options.rs
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Retry {
    Never,
    Failed,
    InPart,
}

// outcome.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Status {
    Done,
    InPart,
    Failed,
}
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome<T = Value> {
    pub key: String,
    pub meta: Value,
    pub status: Status,
    pub result: Result<T, Failure>,
    pub metrics: ExtractionMetrics,
    pub is_resumed: bool,
    pub reviewed_by: Option<String>,
}
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    pub name: String,
    pub message: String,
    pub history: Vec<AttemptRecord>,
}
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct DeadLetter {
    pub key: String,
    pub meta: Value,
    pub failure: Failure,
    pub metrics: ExtractionMetrics,
}

// progress.rs
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Progress {
    pub documents: Option<u64>,
    pub done: u64,
    pub failed: u64,
    pub resumed: u64,
    pub in_flight: u64,
    pub usage: TokenUsage,
    pub cost: Option<Cost>,
    pub elapsed: Duration,
    pub left: Option<Duration>,
    pub is_parked: bool,
    pub pause: Option<Duration>,
    pub agent_error: Option<String>,
}
#[derive(Debug)]
pub struct ProgressLine {}
impl ProgressLine {
    pub fn new() -> Self {}
    pub fn show(&mut self, text: &dyn fmt::Display, finished: u64, all: Option<u64>) {}
    pub fn end(&mut self, text: &dyn fmt::Display, finished: u64, all: Option<u64>) {}
}

// report.rs
#[derive(Clone, Default, Serialize)]
#[non_exhaustive]
pub struct Report {
    pub documents: u64,
    pub expected: Option<u64>,
    pub done: u64,
    pub in_part: u64,
    pub in_conflict: u64,
    pub failed: u64,
    pub resumed: u64,
    pub changed: u64,
    pub repeated: u64,
    pub poisoned: u64,
    pub calls: u64,
    pub usage: TokenUsage,
    pub per_model: Vec<ModelUsage>,
    pub cost: Option<Cost>,
    pub elapsed: Duration,
    pub ended: Ended,
    pub agent_error: Option<String>,
    pub outputs: Vec<PathBuf>,
}
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub enum Ended {
    Complete,
    TokenBudget,
    Shutdown,
    Waiting,
    Unreachable,
    Failed,
}
impl Report {
    pub fn is_complete(&self) -> bool {}
    pub fn dead_letters(&self) -> Result<DeadLetters, JournalError> {}
    pub fn how_to_go_on(&self) -> Option<String> {}
}

// reviewed.rs
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReviewedValue {
    pub value: Value,
    pub by: String,
}
impl ReviewedValue {
    pub fn new(value: Value, by: impl Into<String>) -> Self {}
}

// source.rs
pub type SourceError = Box<dyn Error + Send + Sync>;
pub struct Source<'a> {}
pub trait IntoSource<'a, Kind> {
    fn into_source(self) -> Source<'a>;
}
#[derive(Debug)]
pub enum FromIterator {}
#[derive(Debug)]
pub enum FromStream {}
pub trait SourceItem {
    fn into_doc(self) -> Result<Doc, SourceError>;
}

// stream.rs
#[must_use = "a job asks nothing until it is polled"]
pub struct Outcomes<'a, T> {}
impl<'a, T> Outcomes<'a, T> {
    pub async fn next(&mut self) -> Option<Result<Outcome<T>, BulkError>> {}
    pub fn report(&self) -> Option<&Report> {}
}

