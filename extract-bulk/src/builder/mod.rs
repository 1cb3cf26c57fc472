//! The builder of a job.

mod outputs;

use std::{fmt, future::IntoFuture, path::Path, pin::Pin, sync::Arc, time::Duration};

use extract::{
    Contract, Extraction, WithContext, agent::Prompt, context::NoContext, metrics::Prices,
    schema::SchemaError,
};

use super::{
    asking::{Asking, ConfigureDoc, Extract},
    batches::{Batches, Waves},
    engine::{EngineState, Feed, JobEngine, ReadValue, WaveDriver},
    error::BulkError,
    estimate::{Estimate, Estimating},
    identity::JobIdentity,
    journal::{JournalError, Store},
    limits::JobLimits,
    options::{Options, Retry},
    outcome::DeadLetter,
    partial::PartialOutput,
    progress::{Progress, Shown},
    report::Report,
    reviewed::ReviewedValue,
    source::Source,
    stream::Outcomes,
    writer::{CommitSize, JournalWriter},
};

/// A job: one question about many documents. Nothing is asked until it is awaited.
///
/// Created by [`BulkExt::bulk`](crate::BulkExt::bulk) and
/// [`ContractBulkExt::bulk`](crate::ContractBulkExt::bulk); see the [crate](crate) for its guarantees. Awaiting it returns a [`Report`];
/// [`outcomes`](Self::outcomes) returns a stream with the outcome of each document.
///
/// It needs no particular async runtime. One thread writes the journal; everything else runs in the
/// task that awaits the job. Dropping the future ends the job. The next run asks about the
/// documents in flight again.
///
/// # Errors
///
/// [`BulkError`], if the job as a whole cannot continue. A document without an answer is not an
/// error.
#[must_use = "a job asks nothing until it is awaited"]
pub struct Bulk<'a, T, C = NoContext> {
    question: JobQuestion<'a, T>,
    source: Source<'a>,
    configure: ConfigureDoc<'a, T, C>,
    options: Options<'a>,
}

impl<T, C> fmt::Debug for Bulk<'_, T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Options { journal, concurrent, retry, .. } = &self.options;
        f.debug_struct("Bulk")
            .field("agent", &(self.question.agent)())
            .field("journal", journal)
            .field("concurrent", concurrent)
            .field("retry", retry)
            .finish_non_exhaustive()
    }
}

/// What a job asks about each document.
pub(crate) struct JobQuestion<'a, T> {
    pub(crate) contract: Result<Contract, SchemaError>,
    pub(crate) extract: Extract<'a, T>,
    pub(crate) read: ReadValue<T>,
    /// The name of the agent.
    pub(crate) agent: Box<dyn Fn() -> String + Send + Sync + 'a>,
}

impl<'a, T> Bulk<'a, T> {
    pub(crate) fn new(question: JobQuestion<'a, T>, source: Source<'a>) -> Self {
        let configure: ConfigureDoc<'a, T, NoContext> = Arc::new(|extraction| extraction);
        Self { question, source, configure, options: Options::default() }
    }
}

impl<'a, T: 'a, C: 'a> Bulk<'a, T, C> {
    /// Sets the file in which outcomes are recorded. It is created if it is missing, and belongs to
    /// one process at a time. Without it, outcomes are kept in memory and lost with the process.
    pub fn journal(mut self, path: impl AsRef<Path>) -> Self {
        self.options.journal = Some(path.as_ref().to_owned());
        self
    }

    /// Sets how many documents are processed at once; 16 by default, and at least 1. This also
    /// limits the requests in flight, whose number drops while the provider answers with 429.
    pub fn concurrent(mut self, documents: usize) -> Self {
        self.options.concurrent = documents.max(1);
        self
    }

    /// Sets the maximum requests per minute, spread evenly; unlimited by default, and at least 1.
    pub fn requests_per_minute(mut self, requests: u32) -> Self {
        self.options.requests_per_minute = Some(requests);
        self
    }

    /// Sets the maximum tokens of this run, input and output; unlimited by default. Once they are
    /// used up, no document is started, and those in flight are finished within the
    /// [grace](Self::grace), which may exceed the budget. The [report](Report::ended) says so.
    ///
    /// The tokens of [batches](Self::batches) count in the run that collects their answers. Until then,
    /// the prompts of open batches are estimated, and no more is sent than the budget has left.
    pub fn token_budget(mut self, tokens: u64) -> Self {
        self.options.token_budget = Some(tokens);
        self
    }

    /// Sends the requests as files that the provider answers within hours, often for half the price,
    /// instead of one by one. The agent of the job is not asked, but says how to ask: its name,
    /// capabilities and constraint count, so it has to be of the same model.
    ///
    /// All documents that can be asked about are one wave, with up to 64 chunks of each; a smaller
    /// [number of chunks](extract::Extraction::concurrent_chunks) takes more waves. Those whose answer does not
    /// conform are asked again in the next one, with the usual feedback and within the usual attempts. With a
    /// [journal](Self::journal) the job may be killed and run again at any time: answers are kept,
    /// open batches are found again, and nothing that was sent is sent twice.
    ///
    /// In such a job, [`concurrent`](Self::concurrent) and
    /// [`requests_per_minute`](Self::requests_per_minute) limit only what is asked directly. A
    /// document that waits for an answer is not in flight, so a crash does not count for its
    /// [`poison_after`](Self::poison_after). A [deadline](extract::Extraction::deadline) includes
    /// the wait. A request that has no answer in three batches, or that makes the provider
    /// refuse each file that it is in, makes its document a dead letter.
    ///
    /// # Errors
    ///
    /// [`BulkError::Agent`] if the provider refuses every file, or more than 500 of them, or if values have to be
    /// [redacted](Self::redact_journal), because the journal keeps all answers until their document
    /// has an outcome.
    pub fn batches(mut self, batches: Batches) -> Self {
        self.options.batches = Some(batches);
        self
    }

    /// Sets the prices of tokens, so that progress, report and estimate include costs.
    pub fn prices(mut self, prices: Prices) -> Self {
        self.options.prices = Some(prices);
        self
    }

    /// Configures the extraction of each document, with the methods of [`Extraction`]. The closure
    /// is called for each document, and must do the same each time: its settings are part of what a
    /// result [is an answer to](crate#what-a-result-is-an-answer-to).
    ///
    /// Three settings behave differently in a job. A [timeout](Extraction::timeout) does not
    /// include waiting for the provider's limits. [Transport
    /// options](Extraction::transport_options) have no effect;
    /// [`transport_bound`](Self::transport_bound) replaces them. A [deadline](Extraction::deadline)
    /// that passes while the agent cannot be reached starts again.
    ///
    /// ```
    /// use extract::testing::{ScriptedAgent, block_on};
    /// use extract_bulk::{BulkExt as _, Doc};
    ///
    /// let agent = ScriptedAgent::new(["eight", "[8]"]);
    /// let job = Vec::<u8>::bulk(&agent, [Doc::new("spider", "How many legs?")])
    ///     .configure(|extraction| extraction.max_attempts(2).system("You count legs."));
    /// assert_eq!(block_on(job)?.done, 1);
    /// # Ok::<(), extract_bulk::BulkError>(())
    /// ```
    pub fn configure<D>(
        self,
        configure: impl Fn(Extraction<'a, T, C>) -> Extraction<'a, T, D> + Send + Sync + 'a,
    ) -> Bulk<'a, T, D> {
        let Self { question, source, configure: before, options } = self;
        let configure: ConfigureDoc<'a, T, D> = Arc::new(move |extraction| configure(before(extraction)));
        Bulk { question, source, configure, options }
    }

    /// Sets your own version, which is part of what a result is an answer to. Change it together
    /// with rules, checks and callbacks: they are code, and the library cannot detect that they
    /// changed.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.options.version = version.into();
        self
    }

    /// Sets whether `#[extract(sensitive)]` values are redacted in the journal and the output; off
    /// by default. They appear there as `(hidden)`, and so do the replies of failed attempts. The
    /// [stream](Self::outcomes) delivers the values in the run in which they were extracted, and
    /// never again. Replies about documents that need several are not kept, so a document that was
    /// in flight when the process was killed starts over.
    pub fn redact_journal(mut self, redact: bool) -> Self {
        self.options.redacts = redact;
        self
    }

    /// Sets how long transport failures of a request (no connection, 429, 5xx, timeouts) are waited
    /// out; an hour by default. It begins with the first failure after the last reply to any request, and
    /// no pause outlasts it. Until then, no document fails because of them. After that, a
    /// document whose requests fail while others get replies becomes a dead letter named
    /// `Transport`. If no request gets a reply, not even one about another document after the bound, the
    /// job ends as [`Unreachable`](super::Ended::Unreachable) and no document fails, unless it is the last
    /// one.
    ///
    /// Failures that look like the document's own (a program that ran but printed nothing or
    /// failed, a garbled reply) are not waited out that long. After five of them the document is
    /// set aside, until others are answered. If it fails again, or if every other document has its
    /// outcome and it has failed for half a minute, it becomes such a dead letter.
    pub fn transport_bound(mut self, bound: Duration) -> Self {
        self.options.bound = bound;
        self
    }

    /// Sets after how many crashed runs a document that was in flight [among
    /// few](Self::poison_among) in each of them fails as `Poison`; 3 by default, 0 for never.
    ///
    /// A crash does not reveal which of the documents in flight caused it. So documents that were
    /// in flight in a crashed run are processed at the end, few at a time, those with the fewest
    /// crashes first, and those that one more crash would make fail one at a time. A signal that
    /// cannot be caught (`SIGKILL`) is a crash; a dropped job and a [shutdown](Self::shutdown) are
    /// not.
    pub fn poison_after(mut self, runs: u32) -> Self {
        self.options.poison_after = runs;
        self
    }

    /// Sets with how many documents in flight a crash counts for
    /// [`poison_after`](Self::poison_after); 4 by default, and at least 1. With more, it is more
    /// likely that something else ended the run.
    pub fn poison_among(mut self, documents: usize) -> Self {
        self.options.poison_among = documents.max(1);
        self
    }

    /// Sets what to do with documents that have no answer in the journal; by default they stay
    /// without one.
    ///
    /// ```
    /// use extract::testing::{ScriptedAgent, block_on};
    /// use extract_bulk::{BulkExt as _, Doc, Retry};
    /// # let path = std::env::temp_dir().join(format!("extract-doc-retry-{}.redb", std::process::id()));
    /// # let _ = std::fs::remove_file(&path);
    ///
    /// let documents = || [Doc::new("spider", "How many legs?"), Doc::new("ant", "How many legs?")];
    /// let small = ScriptedAgent::new(["[8]", "many", "many", "many"]);
    /// let report = block_on(Vec::<u8>::bulk(&small, documents()).concurrent(1).journal(&path))?;
    /// assert_eq!((report.done, report.failed), (1, 1));
    ///
    /// let large = ScriptedAgent::new(["[6]"]);
    /// let again = Vec::<u8>::bulk(&large, documents()).journal(&path).retry(Retry::Failed);
    /// assert_eq!(block_on(again)?.done, 2);
    /// # std::fs::remove_file(path).ok();
    /// # Ok::<(), extract_bulk::BulkError>(())
    /// ```
    pub fn retry(mut self, retry: Retry) -> Self {
        self.options.retry = retry;
        self
    }

    /// Lets reviewed values, by the key of their document, take precedence over extracted ones in
    /// every output. With [`retry`](Self::retry) their documents count as answered. A document that
    /// is new, or changed since the journal was written, is asked about all the same. See
    /// [`Journal::with_reviewed`](super::Journal::with_reviewed).
    pub fn reviewed(mut self, reviewed: impl IntoIterator<Item = (String, ReviewedValue)>) -> Self {
        self.options.reviewed = reviewed.into_iter().collect();
        self
    }

    /// Ends the job when `signal` is ready: no document is started any more, and those in flight
    /// are finished within the [grace](Self::grace). The [report](Report::ended) says so. The
    /// library installs no signal handler; pass what your runtime provides, such as
    /// `async { tokio::signal::ctrl_c().await.ok(); }`.
    pub fn shutdown(mut self, signal: impl Future<Output = ()> + Send + 'a) -> Self {
        self.options.shutdown = Some(Box::pin(signal));
        self
    }

    /// Sets how long documents in flight may take when the job ends early; 30 seconds by default.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.options.grace = grace;
        self
    }

    /// Sets whether to show progress on standard error: a bar on a terminal, elsewhere a line every
    /// ten seconds. Off by default.
    pub fn progress(mut self, show: bool) -> Self {
        self.options.shows_progress = show;
        self
    }

    /// Calls `callback` with the progress four times a second, and at the end.
    pub fn on_progress(mut self, callback: impl FnMut(&Progress) + Send + 'a) -> Self {
        self.options.on_progress = Some(Box::new(callback));
        self
    }

    /// Calls `callback` with each document without an answer: documents in the journal as they are
    /// read from the source, the others once they are committed.
    pub fn on_dead_letter(mut self, callback: impl FnMut(&DeadLetter) + Send + 'a) -> Self {
        self.options.on_dead_letter = Some(Box::new(callback));
        self
    }

    /// Sets the number of documents, if the source does not know it; used to estimate the remaining
    /// time.
    pub fn expect_documents(mut self, documents: u64) -> Self {
        self.options.expected = Some(documents);
        self
    }
}

impl<'a, T: WithContext<C> + Send + 'a, C: 'a> Bulk<'a, T, C> {
    /// Returns a stream of outcomes in the order in which they become known: those in the journal
    /// as they are read from the source, the others once they are committed. Every document of the
    /// source occurs once in each run.
    pub fn outcomes(self) -> Outcomes<'a, T> {
        let feed = Feed::default();
        let job = self.run(Some(Arc::clone(&feed)));
        Outcomes::new(Box::pin(job), feed)
    }

    /// Returns what the job would ask, and its cost. Reads the source to its end, but asks nothing
    /// and leaves the journal unchanged.
    ///
    /// # Errors
    ///
    /// If the source fails or has two documents with one key, the journal cannot be read, or the schema does not
    /// compile.
    ///
    /// ```
    /// use extract::testing::{ScriptedAgent, block_on};
    /// use extract_bulk::{BulkExt as _, Doc};
    ///
    /// let agent = ScriptedAgent::default();
    /// let documents = ["spider", "ant"].map(|name| Doc::new(name, format!("How many legs has a {name}?")));
    /// let estimate = block_on(Vec::<u8>::bulk(&agent, documents).dry_run())?;
    /// assert_eq!((estimate.documents, estimate.to_ask), (2, 2));
    /// println!("{estimate}");
    /// # Ok::<(), extract_bulk::BulkError>(())
    /// ```
    pub async fn dry_run(self) -> Result<Estimate, BulkError> {
        let contract = self.question.contract.clone()?;
        let Fingerprinted { identity, chars } = self.fingerprint(&contract);
        let store = match &self.options.journal {
            Some(path) => match Store::open_copy(path) {
                Ok(mut store) => {
                    store.set_reviewed(self.options.reviewed.clone());
                    Some(store)
                }
                Err(JournalError::Missing { .. }) => None,
                Err(error) => return Err(error.into()),
            },
            None => None,
        };
        let estimating = Estimating {
            contract: &contract,
            identity: &identity,
            chars,
            agent: (self.question.agent)(),
            store: store.as_ref(),
            retry: self.options.retry,
            prices: self.options.prices.as_ref(),
        };
        estimating.estimate(self.source).await
    }

    fn fingerprint(&self, contract: &Contract) -> Fingerprinted {
        let extraction = (self.question.extract)(Prompt::default());
        let fingerprint = (self.configure)(extraction).fingerprint(contract);
        let identity = JobIdentity::new(contract, &fingerprint, &self.options.version);
        Fingerprinted { identity, chars: fingerprint.chars }
    }

    async fn run(self, feed: Option<Feed<T>>) -> Result<Report, BulkError> {
        let contract = self.question.contract.clone()?;
        let identity = self.fingerprint(&contract).identity;
        let Self { question, source, configure, mut options } = self;
        options.expected = options.expected.or(source.expected);
        let store = Arc::new(options.open()?);
        let partial = options.partial.as_deref().map(PartialOutput::create).transpose();
        let partial = partial.map_err(|error| BulkError::Output {
            path: options.partial.take().unwrap_or_default(),
            error,
            report: Box::default(),
        })?;
        store.begin_run(options.poison_among, options.expected)?;
        let path = || store.path().unwrap_or(Path::new("in memory")).to_owned();
        let clock = Arc::clone(&options.clock);
        let commit_size = match options.batches {
            Some(_) => CommitSize::LARGE,
            None => CommitSize::ORDINARY,
        };
        let writer = JournalWriter::start(Arc::clone(&store), Arc::clone(&clock), commit_size);
        let writer = writer.map_err(|error| JournalError::of_io(&error, path()))?;
        if options.batches.is_some() && options.redacts && contract.has_sensitive_values() {
            let message = "answers of batches are in the journal, where values have to be redacted";
            return Err(BulkError::Agent { message: message.to_owned(), report: Box::default() });
        }
        if options.batches.is_none() {
            let open = store.open_batches()?.len();
            if open > 0 || store.has_answers()? {
                return Err(BulkError::OpenBatches { open });
            }
        }
        let limits = JobLimits::new(Arc::clone(&clock), options.concurrent, options.requests_per_minute);
        let limits = Arc::new(limits.with_token_budget(options.token_budget));
        let waves = options
            .batches
            .take()
            .map(|batches| Waves::new(batches, (&store, writer.outbox()), (&clock, &limits), options.bound));
        let (waves, driver) = match waves.transpose()? {
            Some((waves, open)) => (Some(Arc::clone(&waves)), Some(waves.drive(open))),
            None => (None, None),
        };
        let asking = Asking {
            contract,
            extract: question.extract,
            configure,
            limits,
            clock: Arc::clone(&clock),
            store: Arc::clone(&store),
            outbox: Arc::clone(writer.outbox()),
            waves,
            bound: options.bound,
            redacts: options.redacts,
            has_answers: Arc::default(),
            schemas: Arc::default(),
            has_replies: store.has_replies()?,
        };
        drop(store);
        let shown = Shown::new(options.shows_progress, options.on_progress.take());
        let engine = JobEngine {
            asking,
            writer,
            identity,
            source: Some(source),
            options,
            feed,
            read: question.read,
            started: clock.now(),
            shown,
            partial,
            driver: driver.map(|driver| Box::pin(driver) as WaveDriver),
            state: EngineState::default(),
        };
        engine.run().await
    }
}

struct Fingerprinted {
    identity: JobIdentity,
    chars: usize,
}

#[cfg(test)]
impl<T, C> Bulk<'_, T, C> {
    /// Replaces the clock of the machine.
    pub(super) fn clock(mut self, clock: Arc<dyn super::clock::Clock>) -> Self {
        self.options.clock = clock;
        self
    }
}

impl<'a, T: WithContext<C> + Send + 'a, C: 'a> IntoFuture for Bulk<'a, T, C> {
    type Output = Result<Report, BulkError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run(None))
    }
}
