//! The waves of a job, and the batches that are open.

use std::{
    collections::{HashMap, HashSet},
    convert::Infallible,
    future::poll_fn,
    mem,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::Poll,
    time::{Duration, Instant},
};

use extract::agent::{
    AgentError, BatchFuture, BatchSearch, BatchStatus, Constraint, LostBatch, Reply, Request,
};

use super::{
    Batches, WhileOpen,
    collected::{CollectedAnswers, MOST_UNREAD},
    draft::{BatchDraft, new_mark, tokens_of},
    parked::{Asked, Parked, ParkedRequests},
    record::{BatchLine, BatchRecord, KnownAnswer, OpenBatch},
    refused::{RefusalTime, Unsent},
};
use crate::{
    clock::Clock,
    identity::Hash,
    journal::{JournalError, Store, Write},
    limits::JobLimits,
    request_name::{RequestId, RequestName},
    writer::Outbox,
};

/// Why the waves of a job end before its documents.
pub(crate) enum WaveEnd {
    /// A batch is open, and the job does not wait.
    Waiting,
    /// The provider refuses.
    Refused(String),
    /// The provider was unreachable for too long.
    Unreachable,
    Journal(JournalError),
}

impl From<JournalError> for WaveEnd {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

/// The requests of a job that wait for a batch.
pub(crate) struct Waves {
    batches: Batches,
    store: Arc<Store>,
    outbox: Arc<Outbox>,
    clock: Arc<dyn Clock>,
    limits: Arc<JobLimits>,
    /// How long transport failures are waited out.
    bound: Duration,
    /// Whether the journal may have answers to requests that are about to be made.
    has_earlier: bool,
    /// When the first batch of the job was sent, in seconds since 1970; 0 before.
    since: AtomicU64,
    requests: ParkedRequests,
    /// The first constraint of the agent for each schema, by a digest. Requests depend on it, and if it changed when
    /// the provider refuses a schema, the answers to earlier requests would not be found.
    constraints: Mutex<HashMap<Hash, Constraint>>,
}

impl Waves {
    pub(crate) fn new(
        batches: Batches,
        (store, outbox): (&Arc<Store>, &Arc<Outbox>),
        (clock, limits): (&Arc<dyn Clock>, &Arc<JobLimits>),
        bound: Duration,
    ) -> Result<(Arc<Self>, Vec<OpenBatch>), JournalError> {
        let mut open = store.open_batches()?;
        if batches.while_open == WhileOpen::Wait {
            // An earlier run may have ended because every file was refused, so what it knew of
            // single requests does not count. This run has the time to ask again.
            for batch in &mut open {
                batch.record.is_repeated = false;
            }
        }
        let ids = open.iter().flat_map(|batch| &batch.record.lines).map(|line| line.id);
        let requests = ParkedRequests::with_open(ids);
        let has_earlier = !open.is_empty() || store.has_answers()?;
        let since = store.batches_since()?.unwrap_or_default().into();
        let (store, outbox) = (Arc::clone(store), Arc::clone(outbox));
        let (clock, limits) = (Arc::clone(clock), Arc::clone(limits));
        let constraints = Mutex::default();
        let waves =
            Self { batches, store, outbox, clock, limits, bound, has_earlier, since, requests, constraints };
        Ok((Arc::new(waves), open))
    }

    /// How many documents wait for an answer.
    pub(crate) fn documents(&self) -> usize {
        self.requests.state().documents()
    }

    /// How many more requests fit into the wave.
    pub(crate) fn room(&self) -> usize {
        self.batches.most.saturating_sub(self.requests.state().parked.len())
    }

    /// Removes the keys of documents that wait for an answer.
    pub(crate) fn retain_going(&self, keys: &mut HashSet<Arc<str>>) {
        let state = self.requests.state();
        keys.retain(|key| !state.has_document(key));
    }

    /// Returns whether a request does not wait any more, and its document still does.
    pub(crate) fn has_resolved(&self) -> bool {
        !self.requests.state().resolved.is_empty()
    }

    /// Takes up to `most` requests that need not wait any more, with the keys of their documents.
    pub(crate) fn take_resolved(&self, most: usize) -> Vec<(RequestId, Arc<str>)> {
        self.requests.state().take_resolved(most)
    }

    /// Lets the documents of these requests go on.
    pub(crate) fn wake(&self, ids: &[RequestId]) {
        self.requests.wake(ids);
    }

    /// Returns what `ask` returned first for this digest of a schema.
    pub(crate) async fn constraint(&self, digest: Hash, ask: impl Future<Output = Constraint>) -> Constraint {
        let constraints = || self.constraints.lock().unwrap_or_else(PoisonError::into_inner);
        let known = constraints().get(&digest).cloned();
        if let Some(known) = known {
            return known;
        }
        let asked = ask.await;
        constraints().entry(digest).or_insert(asked).clone()
    }

    /// Says that no document can go on without an answer. Returns whether that is new.
    pub(crate) fn set_ready(&self) -> bool {
        !mem::replace(&mut self.requests.state().is_ready, true)
    }

    /// Returns the answer in the journal, unless it has to be asked for again.
    pub(crate) fn known(
        &self,
        key: &str,
        name: RequestName,
        request: &Request,
    ) -> Result<Option<Result<Reply, AgentError>>, JournalError> {
        if !self.has_earlier {
            return Ok(None);
        }
        let found = self.in_journal(key, name, request)?;
        Ok(found.and_then(|read| self.requests.state().known_answer(RequestId::new(key, name), read)))
    }

    /// Returns whether a batch brought the [known](Self::known) answer in this run, which is counted once.
    pub(crate) fn take_uncounted(&self, key: &str, name: RequestName) -> bool {
        self.requests.state().uncounted.remove(&RequestId::new(key, name))
    }

    /// The first reply that batches have for a request, or the last of their errors.
    fn in_journal(
        &self,
        key: &str,
        name: RequestName,
        request: &Request,
    ) -> Result<Option<Result<Reply, AgentError>>, JournalError> {
        let mut last = None;
        for KnownAnswer { sent, answer } in self.store.answers(key, name)? {
            let read = self.batches.agent.read(request, &sent, &answer);
            let is_reply = read.is_ok();
            last = Some(read);
            if is_reply {
                break;
            }
        }
        Ok(last)
    }

    /// Waits until a batch has the answer to a request, or it is to be asked directly.
    pub(crate) async fn ask(
        &self,
        key: &Arc<str>,
        name: RequestName,
        request: &Request,
    ) -> Result<Asked, AgentError> {
        let parked = self.requests.park(key, name, request);
        poll_fn(|context| parked.poll(context)).await
    }

    /// Sends waves and collects answers until the job is dropped.
    pub(crate) async fn drive(self: Arc<Self>, mut open: Vec<OpenBatch>) -> Result<Infallible, WaveEnd> {
        let mut unsent = Unsent::default();
        loop {
            if open.is_empty() && unsent.is_empty() {
                unsent.ids = self.next_wave().await.into();
            }
            if self.is_late() {
                self.give_up(&mut unsent, &mut open).await?;
            }
            self.send_fitting(&mut unsent, &mut open).await?;
            let (count, mut left) = (open.len(), Vec::new());
            for batch in mem::take(&mut open) {
                left.extend(self.advance(batch, &mut unsent).await?);
            }
            open = left;
            // After one has ended, the next part of the wave may fit into the queue.
            if !open.is_empty() && (open.len() == count || unsent.is_empty()) {
                if self.batches.while_open == WhileOpen::End {
                    self.ready().await;
                    return Err(WaveEnd::Waiting);
                }
                let left = self.time_left().filter(|left| !left.is_zero());
                self.clock.sleep(left.unwrap_or(Duration::MAX).min(self.batches.interval)).await;
            }
        }
    }

    /// The time until requests are asked directly, if a first batch was sent.
    fn time_left(&self) -> Option<Duration> {
        let since = Some(self.since.load(Ordering::Relaxed)).filter(|since| *since > 0)?;
        let passed = Duration::from_secs(self.clock.unix_seconds().saturating_sub(since));
        Some(self.batches.directly_after?.saturating_sub(passed))
    }

    fn is_late(&self) -> bool {
        self.time_left().is_some_and(|left| left.is_zero())
    }

    /// Lets what is not sent be asked directly, and cancels the batches that are open.
    async fn give_up(&self, unsent: &mut Unsent, open: &mut [OpenBatch]) -> Result<(), WaveEnd> {
        for id in unsent.take_ids() {
            self.requests.state().resolve(id, Ok(Asked::Directly));
        }
        for batch in open.iter_mut().filter(|batch| !batch.record.is_cancelled) {
            let Some(id) = &batch.id else { continue };
            self.patiently(|| self.batches.agent.cancel(id)).await?;
            batch.record.is_cancelled = true;
            self.commit(Write::intent_of(&batch.mark, &batch.record)).await?;
        }
        Ok(())
    }

    /// Collects a batch if it has ended. Returns one that is open.
    async fn advance(&self, mut batch: OpenBatch, unsent: &mut Unsent) -> Result<Option<OpenBatch>, WaveEnd> {
        if batch.id.is_none() {
            match self.search(&batch).await? {
                BatchSearch::Found(id) => {
                    self.commit(Write::BatchId(batch.mark.clone(), id.clone())).await?;
                    batch.id = Some(id);
                }
                BatchSearch::Missing => {
                    self.finish(batch, BatchEnd::NotAccepted).await?;
                    return Ok(None);
                }
                BatchSearch::Undecided => return Ok(Some(batch)),
            }
        }
        let id = batch.id.as_deref().unwrap_or_default();
        match self.patiently(|| self.batches.agent.status(id)).await? {
            BatchStatus::Open => Ok(Some(batch)),
            BatchStatus::Ended => {
                self.collect(batch).await?;
                Ok(None)
            }
            BatchStatus::Refused { reason } => {
                self.divide(batch, (RefusalTime::Later, AgentError::refused(reason)), unsent).await?;
                Ok(None)
            }
        }
    }

    async fn search(&self, batch: &OpenBatch) -> Result<BatchSearch, WaveEnd> {
        let lost = LostBatch { mark: &batch.mark, requests: batch.record.lines.len() };
        self.patiently(|| self.batches.agent.find(lost)).await
    }

    async fn commit(&self, write: Write) -> Result<(), JournalError> {
        let number = self.outbox.push(write);
        self.outbox.wait(number).await
    }

    /// Waits until no document can go on without an answer.
    async fn ready(&self) {
        // The job polls this whenever something changes.
        poll_fn(|_| if self.requests.state().is_ready { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    /// Waits for a wave to send.
    async fn next_wave(&self) -> Vec<RequestId> {
        poll_fn(|_| {
            let mut state = self.requests.state();
            // The job polls this whenever something changes.
            if !state.is_ready || state.fresh.is_empty() {
                return Poll::Pending;
            }
            let fresh = mem::take(&mut state.fresh);
            if fresh.len() >= self.batches.directly_below && !self.is_late() {
                return Poll::Ready(fresh);
            }
            for id in fresh {
                state.resolve(id, Ok(Asked::Directly));
            }
            Poll::Pending
        })
        .await
    }

    /// Sends as much of a wave as the limits of the provider allow.
    async fn send_fitting(&self, unsent: &mut Unsent, open: &mut Vec<OpenBatch>) -> Result<(), WaveEnd> {
        while let Some(half) = unsent.halves.pop() {
            let draft = self.draft(&half);
            let in_queue = open.iter().map(|batch| batch.record.tokens).sum::<u64>();
            if in_queue > 0 && in_queue + draft.tokens > self.most_queued() {
                unsent.halves.push(half);
                return Ok(());
            }
            self.send_or_divide(draft, unsent, open).await?;
        }
        let (limits, mut draft) = (self.batches.agent.limits(), BatchDraft::default());
        while let Some((line, bytes)) = self.next_line(unsent) {
            let in_queue = open.iter().map(|batch| batch.record.tokens).sum::<u64>() + draft.tokens;
            let has_room = in_queue == 0 || in_queue + tokens_of(&bytes) <= self.most_queued();
            let is_full =
                draft.lines.len() >= limits.requests || draft.file.len() + bytes.len() >= limits.bytes;
            if has_room && (!is_full || draft.lines.is_empty()) {
                draft.push(line, &bytes);
                continue;
            }
            unsent.held = Some((line, bytes));
            self.send_or_divide(mem::take(&mut draft), unsent, open).await?;
            if !has_room || !unsent.halves.is_empty() {
                return Ok(());
            }
        }
        self.send_or_divide(draft, unsent, open).await?;
        if open.is_empty() && unsent.halves.is_empty() {
            for id in mem::take(&mut unsent.suspects) {
                let draft = BatchDraft { is_repeated: true, ..self.draft(&[id]) };
                self.send_or_divide(draft, unsent, open).await?;
            }
        }
        Ok(())
    }

    /// How many tokens open batches may have together: what they cost is known only when they have ended.
    fn most_queued(&self) -> u64 {
        self.batches.queued_tokens.min(self.limits.tokens_left())
    }

    fn draft(&self, ids: &[RequestId]) -> BatchDraft {
        let mut draft = BatchDraft::default();
        for (line, bytes) in ids.iter().filter_map(|id| self.line(*id)) {
            draft.push(line, &bytes);
        }
        draft
    }

    /// Sends a file, or divides it if it is refused.
    async fn send_or_divide(
        &self,
        draft: BatchDraft,
        unsent: &mut Unsent,
        open: &mut Vec<OpenBatch>,
    ) -> Result<(), WaveEnd> {
        if draft.lines.is_empty() {
            return Ok(());
        }
        match self.send(draft).await? {
            (batch, None) => open.push(batch),
            (batch, Some(error)) => self.divide(batch, (RefusalTime::Sending, error), unsent).await?,
        }
        Ok(())
    }

    fn next_line(&self, unsent: &mut Unsent) -> Option<(BatchLine, Vec<u8>)> {
        if let Some(held) = unsent.held.take() {
            return Some(held);
        }
        while let Some(id) = unsent.ids.pop_front() {
            if let Some(line) = self.line(id) {
                return Some(line);
            }
        }
        None
    }

    /// The line of a request, unless its document is gone or it cannot be written.
    fn line(&self, id: RequestId) -> Option<(BatchLine, Vec<u8>)> {
        let mut state = self.requests.state();
        let Parked { key, name, request, .. } = &**state.parked.get(&id)?;
        let error = match self.batches.agent.write(&id.to_string(), request) {
            Ok(written) if !written.line.contains(&b'\n') => {
                let (key, name, unanswered) = (Arc::clone(key), *name, state.unanswered(id));
                return Some((BatchLine { id, key, name, sent: written.sent, unanswered }, written.line));
            }
            Ok(_) => AgentError::refused("the request was written with a line break"),
            Err(error) => error,
        };
        state.resolve(id, Err(error));
        None
    }

    /// Sends a file. Its mark is committed before, its id after. Also returns why it was refused.
    async fn send(&self, draft: BatchDraft) -> Result<(OpenBatch, Option<AgentError>), WaveEnd> {
        let BatchDraft { lines, file, tokens, is_repeated } = draft;
        let mark = new_mark(&lines);
        let at = self.clock.unix_seconds();
        let record = BatchRecord { at, tokens, is_cancelled: false, is_repeated, lines };
        self.commit(Write::intent_of(&mark, &record)).await?;
        self.requests.state().open.extend(record.lines.iter().map(|line| line.id));
        if self.since.load(Ordering::Relaxed) == 0 {
            self.since.store(record.at, Ordering::Relaxed);
        }
        let mut batch = OpenBatch { mark, id: None, record };
        let since = self.clock.now();
        let id = loop {
            match self.batches.agent.submit(&file, &batch.mark).await {
                Ok(id) => break id,
                Err(error) if !error.is_transient() => return Ok((batch, Some(error))),
                Err(error) => self.failed(error, since).await?,
            }
            // Perhaps only the response was lost.
            match self.search(&batch).await? {
                BatchSearch::Found(id) => break id,
                BatchSearch::Missing => {}
                BatchSearch::Undecided => return Ok((batch, None)),
            }
        };
        self.commit(Write::BatchId(batch.mark.clone(), id.clone())).await?;
        batch.id = Some(id);
        Ok((batch, None))
    }

    /// Repeats a request to the provider until it works.
    async fn patiently<'f, T>(&self, ask: impl Fn() -> BatchFuture<'f, T>) -> Result<T, WaveEnd> {
        let since = self.clock.now();
        loop {
            match ask().await {
                Ok(done) => return Ok(done),
                Err(error) => self.failed(error, since).await?,
            }
        }
    }

    /// Waits until a request to the provider may be repeated.
    async fn failed(&self, error: AgentError, since: Instant) -> Result<(), WaveEnd> {
        if !error.is_transient() {
            return Err(WaveEnd::Refused(error.to_string()));
        }
        let left = self.bound.saturating_sub(self.clock.now().saturating_duration_since(since));
        if left.is_zero() {
            return Err(WaveEnd::Unreachable);
        }
        let wait = error.retry_after().unwrap_or(self.batches.interval).min(left);
        self.limits.batches_failed(&error, wait);
        self.clock.sleep(wait).await;
        Ok(())
    }

    /// Passes the answers of a batch to the journal and to the documents.
    async fn collect(&self, batch: OpenBatch) -> Result<(), WaveEnd> {
        let id = batch.id.as_deref().unwrap_or_default();
        let collected = Mutex::new(CollectedAnswers::of(&batch));
        let locked = || collected.lock().unwrap_or_else(PoisonError::into_inner);
        let since = self.clock.now();
        loop {
            let sink = Box::new(|id: &str, answer: &[u8]| self.take(&mut locked(), id, answer));
            let done = self.batches.agent.results(id, sink).await;
            self.keep(&mut locked());
            match done {
                Err(error) if error.is_transient() => self.failed(error, since).await?,
                // Without a file there are no more answers.
                Ok(()) | Err(_) => break,
            }
        }
        drop(collected);
        self.finish(batch, BatchEnd::Processed).await
    }

    /// Takes a line of the answers of a batch.
    fn take(&self, collected: &mut CollectedAnswers<'_>, id: &str, answer: &[u8]) {
        let Some((line, taken)) = RequestId::read(id).and_then(|id| collected.lines.get_mut(&id)) else {
            return;
        };
        let mut state = self.requests.state();
        if *taken >= MOST_UNREAD {
            return;
        }
        if let Some(parked) = state.parked.get(&line.id).filter(|_| *taken == 0) {
            let read = self.batches.agent.read(&parked.request, &line.sent, answer);
            let Some(read) = state.answer(line.id, read) else { return };
            *taken = MOST_UNREAD;
            state.resolve(line.id, read.map(Asked::Replied));
        } else {
            // Its document finds the first one that can be read when the batch is finished.
            *taken += 1;
            state.uncounted.insert(line.id);
        }
        drop(state);
        collected.pack.push(&line.key, line.name, (&line.sent, answer));
        if collected.pack.is_full() {
            self.keep(collected);
        }
    }

    /// Passes what was taken to the journal.
    fn keep(&self, collected: &mut CollectedAnswers<'_>) {
        let pack = mem::take(&mut collected.pack);
        if !pack.is_empty() {
            self.outbox.push(Write::Answers(pack));
        }
    }

    /// Closes a file that was refused as a whole, and divides its requests.
    async fn divide(
        &self,
        batch: OpenBatch,
        (refusal, error): (RefusalTime, AgentError),
        unsent: &mut Unsent,
    ) -> Result<(), WaveEnd> {
        if refusal == RefusalTime::Later {
            // Documents of an earlier run ask for their requests again before these are divided.
            self.ready().await;
        }
        if !unsent.may_divide(&error) {
            self.commit(Write::BatchEnded(batch.mark)).await?;
            return Err(WaveEnd::Refused(error.to_string()));
        }
        if self.is_late() {
            return self.finish(batch, BatchEnd::NotAccepted).await;
        }
        self.commit(Write::BatchEnded(batch.mark)).await?;
        let mut state = self.requests.state();
        for line in &batch.record.lines {
            state.open.remove(&line.id);
        }
        unsent.divide(batch.record, (refusal, error), &mut state);
        Ok(())
    }

    /// Closes a batch. Its requests without an answer are part of the next wave.
    async fn finish(&self, batch: OpenBatch, end: BatchEnd) -> Result<(), WaveEnd> {
        // After this, all answers of the batch can be read from the journal.
        self.commit(Write::BatchEnded(batch.mark)).await?;
        for line in &batch.record.lines {
            let mut state = self.requests.state();
            state.open.remove(&line.id);
            if end == BatchEnd::Processed && !batch.record.is_cancelled {
                // If it has an answer, nobody asks again.
                state.count_unanswered(line);
            }
            if !state.is_waiting(line.id) {
                continue;
            }
            let Some(parked) = state.parked.get(&line.id) else { continue };
            let found = self.in_journal(&line.key, line.name, &parked.request)?;
            match found.and_then(|read| state.known_answer(line.id, read)) {
                Some(result) => state.resolve(line.id, result.map(Asked::Replied)),
                None if self.is_late() => state.resolve(line.id, Ok(Asked::Directly)),
                None => state.again(line.id),
            }
        }
        Ok(())
    }
}

/// How a batch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BatchEnd {
    Processed,
    /// It was never sent.
    NotAccepted,
}
