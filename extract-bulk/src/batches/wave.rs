//! The requests that wait for a batch, and the batches that are open.

use std::{
    collections::{HashMap, HashSet},
    convert::Infallible,
    future::poll_fn,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use extract::agent::{AgentError, AgentErrorKind, BatchFuture, BatchStatus, Reply, Request};
use sha2::{Digest as _, Sha256};

use super::{BatchLine, Batches, OpenBatch, WhileOpen};
use crate::{
    clock::Clock,
    identity::hex,
    journal::{JournalError, Store, Write},
    writer::Outbox,
};

/// In how many batches of a run a request may be without an answer.
const MOST_TRIES: u32 = 3;

/// Hexadecimal digits of the ids of requests and of marks. Providers allow 64 characters.
const ID_DIGITS: usize = 48;

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
    /// How long transport failures are waited out.
    bound: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By the id in the file.
    parked: HashMap<String, Parked>,
    /// How many requests of each document are parked.
    documents: HashMap<String, usize>,
    /// Ids of parked requests that no batch has, in the order in which they came.
    fresh: Vec<String>,
    /// Ids in batches that are open.
    open: HashSet<String>,
    /// Whether no document can go on without an answer.
    is_ready: bool,
}

struct Parked {
    key: String,
    name: String,
    request: Request,
    result: Option<Result<Reply, AgentError>>,
    tries: u32,
    waker: Option<Waker>,
}

impl State {
    /// Resolves a request. Returns how the document is woken.
    fn resolve(&mut self, id: &str, result: Result<Reply, AgentError>) -> Option<Waker> {
        let parked = self.parked.get_mut(id)?;
        parked.result = Some(result);
        parked.waker.take()
    }

    /// Puts a request without an answer in the next wave, unless that was done too often.
    fn again(&mut self, id: &str) -> Option<Waker> {
        let parked = self.parked.get_mut(id)?;
        parked.tries += 1;
        if parked.tries < MOST_TRIES {
            self.fresh.push(id.to_owned());
            return None;
        }
        let message = format!("{MOST_TRIES} batches ended without an answer to the request");
        self.resolve(id, Err(AgentError::new(AgentErrorKind::Transport, message)))
    }
}

impl Waves {
    pub(crate) fn new(
        batches: Batches,
        (store, outbox): (&Arc<Store>, &Arc<Outbox>),
        clock: &Arc<dyn Clock>,
        bound: Duration,
    ) -> Result<(Arc<Self>, Vec<OpenBatch>), JournalError> {
        let open = store.open_batches()?;
        let ids = open.iter().flat_map(|batch| &batch.lines).map(|line| line.id.clone());
        let state = State { open: ids.collect(), ..State::default() };
        let (store, outbox, clock) = (Arc::clone(store), Arc::clone(outbox), Arc::clone(clock));
        Ok((Arc::new(Self { batches, store, outbox, clock, bound, state: Mutex::new(state) }), open))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many documents wait for an answer.
    pub(crate) fn documents(&self) -> usize {
        self.state().documents.len()
    }

    /// Returns whether no more requests fit into the wave.
    pub(crate) fn is_full(&self) -> bool {
        self.state().parked.len() >= self.batches.most
    }

    /// Says that no document can go on without an answer. Returns whether that is new.
    pub(crate) fn set_ready(&self) -> bool {
        let mut state = self.state();
        !state.fresh.is_empty() && !mem::replace(&mut state.is_ready, true)
    }

    /// Returns the answer in the journal, unless it has to be asked for again.
    pub(crate) fn known(
        &self,
        (key, name): (&str, &str),
        request: &Request,
    ) -> Result<Option<Result<Reply, AgentError>>, JournalError> {
        let answer = self.store.answer(key, name)?;
        let read = answer.map(|answer| self.batches.agent.read(request, &answer));
        Ok(read.filter(is_answer))
    }

    /// Waits until a batch has the answer to a request.
    pub(crate) async fn ask(&self, key: &str, name: String, request: &Request) -> Result<Reply, AgentError> {
        let id = id_of(key, &name);
        {
            let mut state = self.state();
            if !state.open.contains(&id) {
                state.fresh.push(id.clone());
            }
            *state.documents.entry(key.to_owned()).or_default() += 1;
            let (key, request) = (key.to_owned(), request.clone());
            state
                .parked
                .insert(id.clone(), Parked { key, name, request, result: None, tries: 0, waker: None });
        }
        let place = ParkedGuard { waves: self, id };
        poll_fn(|context| {
            let mut state = self.state();
            let Some(parked) = state.parked.get_mut(&place.id) else { return Poll::Pending };
            if let Some(result) = parked.result.take() {
                return Poll::Ready(result);
            }
            parked.waker = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }

    /// Sends waves and collects answers until the job is dropped.
    pub(crate) async fn drive(self: Arc<Self>, open: Vec<OpenBatch>) -> Result<Infallible, WaveEnd> {
        let mut open = self.found(open).await?;
        loop {
            if open.is_empty() {
                open = self.send_wave().await?;
            }
            let mut left = Vec::new();
            for batch in mem::take(&mut open) {
                let id = batch.id.as_deref().unwrap_or_default();
                match self.patiently(|| self.batches.agent.status(id)).await? {
                    BatchStatus::Open => left.push(batch),
                    BatchStatus::Ended => self.collect(batch).await?,
                }
            }
            open = left;
            if !open.is_empty() {
                if self.batches.while_open == WhileOpen::End {
                    return Err(WaveEnd::Waiting);
                }
                self.clock.sleep(self.batches.interval).await;
            }
        }
    }

    /// Finds the batches of an earlier run whose id was not recorded.
    async fn found(&self, batches: Vec<OpenBatch>) -> Result<Vec<OpenBatch>, WaveEnd> {
        let mut found = Vec::new();
        for mut batch in batches {
            if batch.id.is_none() {
                batch.id = self.patiently(|| self.batches.agent.find(&batch.mark)).await?;
                let Some(id) = &batch.id else {
                    self.finish(batch).await?;
                    continue;
                };
                self.commit(Write::BatchId(batch.mark.clone(), id.clone())).await?;
            }
            found.push(batch);
        }
        Ok(found)
    }

    async fn commit(&self, write: Write) -> Result<(), JournalError> {
        let number = self.outbox.push(write);
        self.outbox.wait(number).await
    }

    /// Waits for a wave, and sends it.
    async fn send_wave(&self) -> Result<Vec<OpenBatch>, WaveEnd> {
        let fresh = poll_fn(|_| {
            let mut state = self.state();
            // The job polls this whenever something changes.
            if !state.is_ready || state.fresh.is_empty() {
                return Poll::Pending;
            }
            state.is_ready = false;
            Poll::Ready(mem::take(&mut state.fresh))
        })
        .await;
        let limits = self.batches.agent.limits();
        let (mut sent, mut lines, mut file) = (Vec::new(), Vec::new(), Vec::new());
        for id in fresh {
            let Some((line, bytes)) = self.line(id) else { continue };
            let is_full = lines.len() >= limits.requests || file.len() + bytes.len() >= limits.bytes;
            if is_full && !lines.is_empty() {
                sent.push(self.send(mem::take(&mut lines), &mem::take(&mut file)).await?);
            }
            lines.push(line);
            file.extend_from_slice(&bytes);
            file.push(b'\n');
        }
        if !lines.is_empty() {
            sent.push(self.send(lines, &file).await?);
        }
        Ok(sent)
    }

    /// The line of a request, unless its document is gone or it cannot be written.
    fn line(&self, id: String) -> Option<(BatchLine, Vec<u8>)> {
        let (line, written) = {
            let state = self.state();
            let Parked { key, name, request, .. } = state.parked.get(&id)?;
            let (key, name) = (key.clone(), name.clone());
            let written = self.batches.agent.write(&id, request);
            (BatchLine { id, key, name }, written)
        };
        let error = match written {
            Ok(bytes) if !bytes.contains(&b'\n') => return Some((line, bytes)),
            Ok(_) => AgentError::refused("the request was written with a line break"),
            Err(error) => error,
        };
        let waker = self.state().resolve(&line.id, Err(error));
        waker.into_iter().for_each(Waker::wake);
        None
    }

    /// Sends a file. Its mark is committed before, its id after.
    async fn send(&self, lines: Vec<BatchLine>, file: &[u8]) -> Result<OpenBatch, WaveEnd> {
        let mark = mark_of(&lines);
        self.commit(Write::BatchIntent(mark.clone(), lines.clone())).await?;
        self.state().open.extend(lines.iter().map(|line| line.id.clone()));
        let since = self.clock.now();
        let id = loop {
            match self.batches.agent.submit(file, &mark).await {
                Ok(id) => break id,
                Err(error) => {
                    if !error.is_transient() {
                        self.commit(Write::BatchEnded(mark.clone())).await?;
                    }
                    self.failed(error, since).await?;
                }
            }
            // Perhaps only the response was lost.
            if let Some(id) = self.patiently(|| self.batches.agent.find(&mark)).await? {
                break id;
            }
        };
        self.commit(Write::BatchId(mark.clone(), id.clone())).await?;
        Ok(OpenBatch { mark, id: Some(id), lines })
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
        if self.clock.now().saturating_duration_since(since) >= self.bound {
            return Err(WaveEnd::Unreachable);
        }
        self.clock.sleep(error.retry_after().unwrap_or(self.batches.interval).min(self.bound)).await;
        Ok(())
    }

    /// Passes the answers of a batch to the journal and to the documents.
    async fn collect(&self, batch: OpenBatch) -> Result<(), WaveEnd> {
        let id = batch.id.as_deref().unwrap_or_default();
        let lines: HashMap<&str, &BatchLine> = batch.lines.iter().map(|line| (&*line.id, line)).collect();
        let taken = Mutex::new(HashSet::new());
        let since = self.clock.now();
        loop {
            let sink = Box::new(|id: &str, answer: &[u8]| {
                let mut taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(line) = lines.get(id).filter(|_| !taken.contains(id))
                    && self.take(line, answer)
                {
                    taken.insert(id.to_owned());
                }
            });
            match self.batches.agent.results(id, sink).await {
                Err(error) if error.is_transient() => self.failed(error, since).await?,
                // Without a file there are no more answers.
                Ok(()) | Err(_) => break,
            }
        }
        drop(lines);
        self.finish(batch).await
    }

    /// Keeps an answer. Returns whether it is one, if that is known.
    fn take(&self, line: &BatchLine, answer: &[u8]) -> bool {
        let mut state = self.state();
        let waker = match state.parked.get(&line.id) {
            Some(parked) => {
                let read = self.batches.agent.read(&parked.request, answer);
                if !is_answer(&read) {
                    return false;
                }
                state.resolve(&line.id, read)
            }
            None => None,
        };
        drop(state);
        self.outbox.push(Write::Answer(line.key.clone(), line.name.clone(), answer.to_owned()));
        waker.into_iter().for_each(Waker::wake);
        true
    }

    /// Closes a batch. Its requests without an answer are part of the next wave.
    async fn finish(&self, batch: OpenBatch) -> Result<(), WaveEnd> {
        // After this, all answers of the batch can be read from the journal.
        self.commit(Write::BatchEnded(batch.mark)).await?;
        for line in &batch.lines {
            let waker = {
                let mut state = self.state();
                state.open.remove(&line.id);
                let Some(parked) = state.parked.get(&line.id).filter(|parked| parked.result.is_none()) else {
                    continue;
                };
                match self.known((&line.key, &line.name), &parked.request)? {
                    Some(result) => state.resolve(&line.id, result),
                    None => state.again(&line.id),
                }
            };
            waker.into_iter().for_each(Waker::wake);
        }
        Ok(())
    }
}

/// A parked request. Dropping it gives it up.
struct ParkedGuard<'w> {
    waves: &'w Waves,
    id: String,
}

impl Drop for ParkedGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.waves.state();
        let Some(parked) = state.parked.remove(&self.id) else { return };
        if let Some(count) = state.documents.get_mut(&parked.key) {
            *count -= 1;
            if *count == 0 {
                state.documents.remove(&parked.key);
            }
        }
    }
}

/// Returns whether it need not be asked again.
fn is_answer(read: &Result<Reply, AgentError>) -> bool {
    !read.as_ref().is_err_and(AgentError::is_transient)
}

fn id_of(key: &str, name: &str) -> String {
    let mut hash = Sha256::new();
    hash.update((key.len() as u64).to_le_bytes());
    hash.update(key);
    hash.update(name);
    let mut id = hex(&hash.finalize());
    id.truncate(ID_DIGITS);
    id
}

/// The mark of a new batch, which no earlier batch has.
fn mark_of(lines: &[BatchLine]) -> String {
    let mut hash = Sha256::new();
    for line in lines {
        hash.update(&line.id);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    hash.update(now.as_nanos().to_le_bytes());
    let mut mark = hex(&hash.finalize());
    mark.truncate(ID_DIGITS);
    mark
}
