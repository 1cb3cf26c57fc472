//! The agent as one document of a job uses it.

use std::{
    borrow::Cow,
    collections::HashMap,
    io::{BufWriter, Write as _},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use extract::{
    agent::{
        Agent, AgentError, Capabilities, ConstraintFuture, DeltaSink, Reply, ReplyFuture, Request,
        respond_or_stream,
    },
    metrics::TransportFailure,
};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};
use sha2::{Digest as _, Sha256};

use super::{
    batches::{Asked, Waves},
    clock::Clock,
    identity::Hash,
    journal::Write,
    limits::{JobLimits, RequestRefusal, backoff},
    request_name::RequestName,
    writer::Outbox,
};

/// Maximum transport failures kept for one document; an outage has many.
const MOST_FAILURES: usize = 32;

/// After how many failures of its own a document is compared with the others.
const OWN_FAILURES: u32 = 5;

/// How long a document has to fail before it is blamed although no other was processed meanwhile,
/// because every other one has its outcome.
const PATIENCE: Duration = Duration::from_secs(30);

/// Bytes that are hashed at once. Allocators keep buffers of up to 1 kB at hand.
const DIGESTED: usize = 960;

/// State shared by all questions about one document.
pub(super) struct DocumentCalls {
    pub(super) key: Arc<str>,
    pub(super) limits: Arc<JobLimits>,
    pub(super) clock: Arc<dyn Clock>,
    /// How long transport failures are waited out.
    pub(super) bound: Duration,
    /// Whether any document of the job has an answer.
    pub(super) has_answers: Arc<AtomicBool>,
    pub(super) schemas: Arc<DigestedSchema>,
    /// Where to keep replies that another question follows; `None` if they are not kept.
    pub(super) outbox: Option<Arc<Outbox>>,
    pub(super) state: Mutex<Calls>,
}

#[derive(Default)]
pub(super) struct Calls {
    /// Replies of an earlier run, by the digest of the request.
    known: HashMap<String, Vec<u8>>,
    /// How many replies to each request are known or saved.
    counts: HashMap<Hash, u32>,
    /// Replies of this run that are not in the journal yet, with their requests. Most documents
    /// need only one question, so digests are computed only when a second one follows.
    unsaved: Vec<(Request, Reply)>,
    failures: Vec<TransportFailure>,
    failed: u32,
    /// The last one.
    refusal: RequestRefusal,
    /// Whether a request failed that others did not share the fate of.
    is_blamed: bool,
}

impl Calls {
    /// The name of the next reply to a request, which may be made more than once.
    fn next_name(&mut self, digest: Hash) -> RequestName {
        let count = self.counts.entry(digest).or_default();
        *count += 1;
        RequestName { digest, number: *count - 1 }
    }

    /// The state after a run with these replies.
    pub(super) fn after(known: HashMap<String, Vec<u8>>) -> Self {
        Self { known, ..Self::default() }
    }
}

impl DocumentCalls {
    fn state(&self) -> MutexGuard<'_, Calls> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the failures after which a request was repeated, and their number.
    pub(super) fn take_failures(&self) -> (Vec<TransportFailure>, u32) {
        let mut state = self.state();
        (std::mem::take(&mut state.failures), std::mem::take(&mut state.failed))
    }

    /// Returns the last refusal of a request.
    pub(super) fn refusal(&self) -> RequestRefusal {
        self.state().refusal
    }

    /// Returns whether it failed while others were answered.
    pub(super) fn is_blamed(&self) -> bool {
        self.state().is_blamed
    }

    /// Returns whether the failures are the document's own, as `own` of them appear to be: others
    /// were answered meanwhile, or are all finished.
    fn blames(&self, failing: &Failing, waited: Duration) -> bool {
        let is_alone = || self.limits.is_quiet() && self.has_answers.load(Ordering::Relaxed);
        let is_late = waited >= self.bound;
        let is_own = failing.own >= OWN_FAILURES;
        let is_blamed = (is_own || is_late) && self.limits.has_replied_after(failing.first)
            || is_own && waited >= PATIENCE.min(self.bound) && is_alone();
        self.state().is_blamed |= is_blamed;
        is_blamed
    }

    pub(super) fn has_failures(&self) -> bool {
        self.state().failed > 0
    }

    /// The reply that a request got in an earlier run.
    fn known_reply(&self, request: &Request) -> Option<Reply> {
        if self.state().known.is_empty() {
            return None;
        }
        let digest = self.schemas.digest(request);
        let mut state = self.state();
        let number = state.counts.get(&digest).copied().unwrap_or_default();
        let name = RequestName { digest, number };
        let reply = serde_json::from_slice(&state.known.remove(&name.to_string())?).ok()?;
        state.next_name(digest);
        Some(reply)
    }

    /// The reply with this name in an earlier run.
    fn reply_named(&self, name: RequestName) -> Option<Reply> {
        let mut state = self.state();
        if state.known.is_empty() {
            return None;
        }
        serde_json::from_slice(&state.known.remove(&name.to_string())?).ok()
    }

    /// The name of a request, which may be made more than once.
    fn next_name(&self, request: &Request) -> RequestName {
        let digest = self.schemas.digest(request);
        self.state().next_name(digest)
    }

    /// Forgets the replies that no other question followed, because the document has its result.
    pub(super) fn forget_unsaved(&self) {
        self.state().unsaved.clear();
    }

    /// Saves earlier replies to the journal, so that another run need not ask again.
    async fn save_replies(&self, outbox: &Outbox) -> Result<(), AgentError> {
        match self.push_unsaved(outbox) {
            // The job notices the failure itself, and ends.
            Some(last) => outbox.wait(last).await.map_err(|error| AgentError::unavailable(error.to_string())),
            None => Ok(()),
        }
    }

    /// Hands earlier replies to the writer, and returns the number of the last write.
    fn push_unsaved(&self, outbox: &Outbox) -> Option<u64> {
        let unsaved = std::mem::take(&mut self.state().unsaved);
        let mut last = None;
        for (request, reply) in unsaved {
            if let Ok(reply) = serde_json::to_vec(&reply) {
                let name = self.next_name(&request).to_string();
                last = Some(outbox.push(Write::Reply(self.key.to_string(), name, reply)));
            }
        }
        last
    }

    fn record(&self, error: &AgentError) -> u32 {
        let mut state = self.state();
        state.failed = state.failed.saturating_add(1);
        if state.failures.len() < MOST_FAILURES {
            state.failures.push(error.to_transport_failure(0));
        }
        state.failed
    }
}

/// A document that is given up between two questions has a reply that is paid for, and not in the journal.
impl Drop for DocumentCalls {
    fn drop(&mut self) {
        if let Some(outbox) = &self.outbox {
            self.push_unsaved(outbox);
        }
    }
}

/// The failures of a request so far.
struct Failing {
    since: Instant,
    /// How many requests were started when it failed first.
    first: u64,
    count: u32,
    /// How many are more likely failures of the request than of the connection.
    own: u32,
}

impl Failing {
    fn new(since: Instant, first: u64) -> Self {
        Self { since, first, count: 0, own: 0 }
    }
}

/// An agent that obeys the limits of the job, waits out transport failures, and repeats its replies
/// from a run that was killed.
pub(super) struct AskedAgent<'a> {
    pub(super) agent: Box<dyn Agent + 'a>,
    /// Its number among the agents of an extraction: 0 for that of the job.
    pub(super) number: usize,
    pub(super) calls: Arc<DocumentCalls>,
    /// Set if its requests are sent in batches.
    pub(super) waves: Option<Arc<Waves>>,
}

impl AskedAgent<'_> {
    fn ask<'r>(&'r self, request: &'r Request, sink: Option<DeltaSink<'r>>) -> ReplyFuture<'r> {
        if let Some(waves) = &self.waves {
            return Box::pin(async move {
                self.ask_in_batch(waves, request, sink).await.inspect_err(|error| self.note_refusal(error))
            });
        }
        Box::pin(async move {
            self.ask_or_repeat(request, sink).await.inspect_err(|error| self.note_refusal(error))
        })
    }

    /// Remembers who refused, if it was for good.
    fn note_refusal(&self, error: &AgentError) {
        if !error.is_transient() {
            let after = error.is_of_account().then(|| self.calls.limits.started());
            self.calls.state().refusal = RequestRefusal { by: self.number, after };
        }
    }

    /// Takes the reply of an earlier run, or asks.
    async fn ask_or_repeat(
        &self,
        request: &Request,
        mut sink: Option<DeltaSink<'_>>,
    ) -> Result<Reply, AgentError> {
        let Some(outbox) = &self.calls.outbox else {
            return self.ask_anew(request, sink).await;
        };
        self.calls.save_replies(outbox).await?;
        if let Some(reply) = self.calls.known_reply(request) {
            if let Some(sink) = &mut sink {
                sink.send(reply.text());
            }
            return Ok(reply);
        }
        let reply = self.ask_anew(request, sink).await?;
        self.calls.state().unsaved.push((request.clone(), reply.clone()));
        Ok(reply)
    }

    /// Takes the reply from the journal or from the next wave.
    async fn ask_in_batch(
        &self,
        waves: &Waves,
        request: &Request,
        mut sink: Option<DeltaSink<'_>>,
    ) -> Result<Reply, AgentError> {
        let outbox = self.calls.outbox.as_deref();
        if let Some(outbox) = outbox {
            self.calls.save_replies(outbox).await?;
        }
        let name = self.calls.next_name(request);
        let known = match self.calls.reply_named(name) {
            Some(reply) => Some(Ok(reply)),
            // The job notices the failure itself, and ends.
            None => waves
                .known(&self.calls.key, name, request)
                .map_err(|error| AgentError::unavailable(error.to_string()))?
                .inspect(|known| {
                    if let (Ok(reply), true) = (known, waves.take_uncounted(&self.calls.key, name)) {
                        self.count_of_batch(request, reply);
                    }
                }),
        };
        let reply = match known {
            Some(known) => known?,
            None => match waves.ask(&self.calls.key, name, request).await? {
                Asked::Replied(reply) => {
                    self.count_of_batch(request, &reply);
                    reply
                }
                Asked::Directly => {
                    // In a box, so that the many documents that wait take less memory.
                    let asking = self.ask_anew(request, sink.as_mut().map(DeltaSink::restart));
                    let reply = Box::pin(asking).await?;
                    if let (Some(outbox), Ok(bytes)) = (outbox, serde_json::to_vec(&reply)) {
                        let key = self.calls.key.to_string();
                        outbox.push(Write::Reply(key, name.to_string(), bytes));
                    }
                    return Ok(reply);
                }
            },
        };
        if let Some(sink) = &mut sink {
            sink.send(reply.text());
        }
        Ok(reply)
    }

    /// Counts a reply that a batch brought in this run.
    fn count_of_batch(&self, request: &Request, reply: &Reply) {
        let tokens = reply.tokens_by_model(&self.agent.name(), || request.chars());
        self.calls.limits.replied_in_batch(self.number, tokens);
    }

    /// Asks until there is a reply, or until the transport has failed for too long.
    async fn ask_anew(
        &self,
        request: &Request,
        mut sink: Option<DeltaSink<'_>>,
    ) -> Result<Reply, AgentError> {
        let DocumentCalls { limits, clock, bound, .. } = &*self.calls;
        let mut failing: Option<Failing> = None;
        loop {
            let pass = limits.enter().await;
            let asking = respond_or_stream(&self.agent, request, sink.as_mut().map(DeltaSink::restart));
            let error = match asking.await {
                Ok(reply) => {
                    pass.replied(self.number, reply.tokens_by_model(&self.agent.name(), || request.chars()));
                    return Ok(reply);
                }
                Err(error) => error,
            };
            if !error.is_transient() {
                pass.refused();
                return Err(error);
            }
            let outage = pass.failed(&error, *bound);
            self.calls.record(&error);
            let now = clock.now();
            let failing = failing.get_or_insert_with(|| Failing::new(now, limits.started()));
            failing.count += 1;
            failing.own += u32::from(error.is_of_request());
            let (failures, waited) = (failing.count, now.saturating_duration_since(failing.since));
            // The next document shows whether the agent works.
            let is_over = waited.max(outage) >= *bound;
            if is_over && limits.aside() == 0 && limits.is_down() {
                limits.set_aside(failing.first).await;
            }
            if self.calls.blames(failing, waited) {
                let note = format!("{failures} requests failed in {waited:?}, while others were answered");
                return Err(error.with_note(&note));
            }
            // A request that failed late does not begin to wait anew.
            let waited = waited.max(outage);
            if waited >= *bound {
                return Err(error.with_note(&format!("no reply in {waited:?}")));
            }
            if failing.own >= OWN_FAILURES {
                limits.set_aside(failing.first).await;
            }
            // Other requests may start meanwhile, unless the limits forbid it.
            let waited = waited + clock.now().saturating_duration_since(now);
            clock.sleep(backoff(failures).min(bound.saturating_sub(waited))).await;
        }
    }
}

impl Agent for AskedAgent<'_> {
    fn respond<'r>(&'r self, request: &'r Request) -> ReplyFuture<'r> {
        self.ask(request, None)
    }

    fn stream<'r>(&'r self, request: &'r Request, sink: DeltaSink<'r>) -> ReplyFuture<'r> {
        self.ask(request, Some(sink))
    }

    fn name(&self) -> Cow<'_, str> {
        self.agent.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.agent.capabilities()
    }

    fn constraint<'r>(&'r self, request: &'r Request) -> ConstraintFuture<'r> {
        let asked = self.agent.constraint(request);
        let Some(waves) = &self.waves else { return asked };
        Box::pin(waves.constraint(self.calls.schemas.digest(request), asked))
    }
}

/// The schema of the last request as JSON. Most requests of a job have the same.
#[derive(Default)]
pub(super) struct DigestedSchema(Mutex<Option<(Arc<Value>, Arc<RawValue>)>>);

impl DigestedSchema {
    /// A digest of everything that is sent to the agent.
    fn digest(&self, request: &Request) -> Hash {
        digest(request, request.schema.as_ref().and_then(|schema| self.json(schema)).as_deref())
    }

    fn json(&self, schema: &Arc<Value>) -> Option<Arc<RawValue>> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, json)) = last.as_ref().filter(|(last, _)| Arc::ptr_eq(last, schema)) {
            return Some(Arc::clone(json));
        }
        // A schema is always JSON.
        let json: Arc<RawValue> = to_raw_value(&**schema).ok()?.into();
        *last = Some((Arc::clone(schema), Arc::clone(&json)));
        Some(json)
    }
}

fn digest(request: &Request, schema: Option<&RawValue>) -> Hash {
    let asked = (
        &request.conversation,
        schema,
        request.tools.as_deref(),
        (request.max_output_tokens, request.temperature, request.thinking),
        request.prefill.as_deref(),
    );
    let mut hash = Sha256::new();
    let mut pieces = BufWriter::with_capacity(DIGESTED, &mut hash);
    // Conversations are always JSON.
    let _ = serde_json::to_writer(&mut pieces, &asked);
    if request.sample > 0 {
        // The same question is asked several times.
        let _ = pieces.write_all(&request.sample.to_le_bytes());
    }
    let _ = pieces.flush();
    drop(pieces);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use extract::agent::{Conversation, Role};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_digest_is_that_of_earlier_versions() {
        let schemas = DigestedSchema::default();
        for schema in [None, Some(json!({"type": "object", "title": "\u{e9}\n"})), Some(json!(true))] {
            let mut request = Request::new(Conversation::new().with(Role::User, "Invoice 7"));
            request.schema = schema.map(Arc::new);
            let asked = (
                &request.conversation,
                request.schema.as_deref(),
                Option::<&[u8]>::None,
                (request.max_output_tokens, request.temperature, request.thinking),
                request.prefill.as_deref(),
            );
            let earlier: Hash = Sha256::digest(serde_json::to_vec(&asked).unwrap()).into();
            assert_eq!((schemas.digest(&request), schemas.digest(&request)), (earlier, earlier));
        }
    }
}
