//! A cache of replies.

use std::{
    collections::{BTreeMap, HashMap},
    error::Error,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;

use crate::{
    agent::{
        Agent, Conversation, DeltaSink, Reply, ReplyFuture, Request, ThinkingLevel, Tool, respond_or_stream,
    },
    reading::ReplyEnd,
    vocabulary::usage::TokenUsage,
};

/// Why a store could not be read or written.
pub type StoreError = Box<dyn Error + Send + Sync>;

/// The storage of a [`Cached`]: [`MemoryStore`], `RedbStore` of the package `extractable-agents`, or your own.
///
/// A key is the whole request as a string; equal keys are equal requests. Keys can be long, and
/// contain prompts.
pub trait ReplyStore: Send + Sync {
    /// The reply stored for `key`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn get(&self, key: &str) -> Result<Option<Reply>, StoreError>;

    /// Stores `reply` for `key`, replacing an older one.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    fn put(&self, key: &str, reply: &Reply) -> Result<(), StoreError>;
}

impl<S: ReplyStore + ?Sized> ReplyStore for Arc<S> {
    fn get(&self, key: &str) -> Result<Option<Reply>, StoreError> {
        (**self).get(key)
    }

    fn put(&self, key: &str, reply: &Reply) -> Result<(), StoreError> {
        (**self).put(key, reply)
    }
}

/// Asks an agent each question only once.
///
/// A question is the conversation, the schema, the limit of output tokens, the temperature, the
/// thinking level, and the name of the agent: several agents can share a store. A reply from the
/// cache reports 0 tokens, because none were used. Its [origin](Reply::origin) is the stored
/// reply's.
///
/// Only replies that ended well are stored, not failures or replies cut by a limit or a filter. The
/// cache does not know whether an answer is acceptable. It stores an answer that the loop rejects,
/// and also the one that corrects it, since that answers another question. Two equal requests at
/// the same time both reach the agent.
///
/// A failing store costs no reply: the agent is asked as if nothing were stored.
/// [`stats`](Self::stats) counts such failures and has the last message.
///
/// When a reply is [streamed](Agent::stream), a cached one is sent as one delta.
///
/// Clones share the store and the counts, if clones of the store do.
///
/// ```
/// use extract::agent::{AgentExt as _, MemoryStore};
/// use extract::testing::{ScriptedAgent, block_on};
/// use extract::Extractable as _;
///
/// let agent = ScriptedAgent::new(["[8]"]).cached(MemoryStore::new(1000));
/// for _ in 0..3 {
///     let (legs, _) = block_on(Vec::<u8>::extract(&agent, "How many legs has a spider?"))?;
///     assert_eq!(legs, [8]);
/// }
/// assert_eq!((agent.stats().misses, agent.stats().hits), (1, 2));
/// # Ok::<(), extract::ExtractionError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cached<A, S> {
    agent: A,
    store: S,
    stats: Arc<Mutex<CacheStats>>,
}

/// Counts of a [`Cached`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheStats {
    /// Requests answered from the cache.
    pub hits: u64,
    /// Requests passed to the agent.
    pub misses: u64,
    /// Failed reads and writes of the store.
    pub failures: u64,
    /// The message of the last failure.
    pub last_failure: Option<String>,
}

/// The identity of a request. It includes the version, because a store can outlive a release.
#[derive(Serialize)]
struct RequestKey<'r> {
    version: u32,
    agent: &'r str,
    conversation: &'r Conversation,
    schema: Option<&'r serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'r [Tool]>,
    max_output_tokens: Option<u32>,
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<ThinkingLevel>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefill: Option<&'r str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    log_probabilities: bool,
    #[serde(skip_serializing_if = "is_first")]
    sample: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_first(sample: &u32) -> bool {
    *sample == 0
}

impl<A: Agent, S: ReplyStore> Cached<A, S> {
    /// Wraps `agent`, with the replies in `store`.
    pub fn new(agent: A, store: S) -> Self {
        Self { agent, store, stats: Arc::default() }
    }

    /// Returns the counts so far.
    pub fn stats(&self) -> CacheStats {
        self.counted().clone()
    }

    fn counted(&self) -> MutexGuard<'_, CacheStats> {
        self.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The result of the store. A failure is counted and treated as no reply.
    fn noted<T>(&self, result: Result<T, StoreError>) -> Option<T> {
        result
            .map_err(|error| {
                let mut stats = self.counted();
                stats.failures += 1;
                stats.last_failure = Some(error.to_string());
            })
            .ok()
    }

    fn key(&self, request: &Request) -> Result<String, StoreError> {
        Ok(serde_json::to_string(&RequestKey {
            version: 1,
            agent: &self.agent.name(),
            conversation: &request.conversation,
            schema: request.schema.as_deref(),
            tools: request.tools.as_deref(),
            max_output_tokens: request.max_output_tokens,
            temperature: request.temperature,
            thinking: request.thinking,
            prefill: request.prefill.as_deref(),
            log_probabilities: request.log_probabilities,
            sample: request.sample,
        })?)
    }

    fn ask<'a>(&'a self, request: &'a Request, mut sink: Option<DeltaSink<'a>>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let key = self.noted(self.key(request));
            let known = key.as_ref().and_then(|key| self.noted(self.store.get(key)).flatten());
            if let Some(reply) = known {
                self.counted().hits += 1;
                if let Some(sink) = &mut sink {
                    sink.send(reply.text());
                }
                return Ok(reply.with_usage(TokenUsage::default()));
            }
            self.counted().misses += 1;
            let reply = respond_or_stream(&self.agent, request, sink).await?;
            let is_whole = reply.end() != ReplyEnd::Cut;
            if let Some(key) = key.filter(|_| is_whole) {
                self.noted(self.store.put(&key, &reply));
            }
            Ok(reply)
        })
    }
}

agent_around_one!(Cached<A, S: ReplyStore>);

/// The most recently used replies, in memory. Clones share them.
///
/// When it is full, it drops the least recently used reply. There are two limits: the number of
/// replies, and the bytes of all keys and replies, 64 MiB unless [`max_bytes`](Self::max_bytes) is
/// set. A reply larger than that is not stored.
#[derive(Clone)]
pub struct MemoryStore {
    kept: Arc<Mutex<StoredReply>>,
}

struct StoredReply {
    max_replies: usize,
    max_bytes: usize,
    bytes: usize,
    clock: u64,
    replies: HashMap<Arc<str>, (u64, Reply)>,
    /// The keys by the time of their last use.
    ages: BTreeMap<u64, Arc<str>>,
}

impl MemoryStore {
    /// Creates a store of at most `max_replies` replies.
    pub fn new(max_replies: usize) -> Self {
        let kept = StoredReply {
            max_replies,
            max_bytes: 64 * 1024 * 1024,
            bytes: 0,
            clock: 0,
            replies: HashMap::new(),
            ages: BTreeMap::new(),
        };
        Self { kept: Arc::new(Mutex::new(kept)) }
    }

    /// Sets the maximum number of bytes.
    pub fn max_bytes(self, bytes: usize) -> Self {
        self.with(|kept| {
            kept.max_bytes = bytes;
            kept.shrink();
        });
        self
    }

    /// Returns the number of stored replies.
    pub fn len(&self) -> usize {
        self.with(|kept| kept.replies.len())
    }

    /// Returns whether there are no stored replies.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn with<T>(&self, look: impl FnOnce(&mut StoredReply) -> T) -> T {
        look(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl StoredReply {
    fn get(&mut self, key: &str) -> Option<Reply> {
        self.clock += 1;
        let (age, reply) = self.replies.get_mut(key)?;
        let name = self.ages.remove(age)?;
        self.ages.insert(self.clock, name);
        *age = self.clock;
        Some(reply.clone())
    }

    fn put(&mut self, key: &str, reply: &Reply) {
        self.remove(key);
        self.clock += 1;
        let key: Arc<str> = key.into();
        self.bytes += size(&key, reply);
        self.ages.insert(self.clock, Arc::clone(&key));
        self.replies.insert(key, (self.clock, reply.clone()));
        self.shrink();
    }

    fn remove(&mut self, key: &str) {
        if let Some((key, (age, reply))) = self.replies.remove_entry(key) {
            self.ages.remove(&age);
            self.bytes -= size(&key, &reply);
        }
    }

    fn shrink(&mut self) {
        while self.replies.len() > self.max_replies || self.bytes > self.max_bytes {
            let Some((_, oldest)) = self.ages.pop_first() else { return };
            self.remove(&oldest);
        }
    }
}

/// Sizes only: the contents are prompts and replies.
impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with(|kept| write!(f, "MemoryStore({} replies, {} bytes)", kept.replies.len(), kept.bytes))
    }
}

fn size(key: &str, reply: &Reply) -> usize {
    key.len() + reply.text().len()
}

impl ReplyStore for MemoryStore {
    fn get(&self, key: &str) -> Result<Option<Reply>, StoreError> {
        Ok(self.with(|kept| kept.get(key)))
    }

    fn put(&self, key: &str, reply: &Reply) -> Result<(), StoreError> {
        self.with(|kept| kept.put(key, reply));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(max_replies: usize) -> MemoryStore {
        let store = MemoryStore::new(max_replies);
        for key in ["a", "b", "c"] {
            store.put(key, &Reply::new("1234")).unwrap();
        }
        store
    }

    fn keys(store: &MemoryStore) -> Vec<&'static str> {
        ["a", "b", "c"].into_iter().filter(|key| store.get(key).unwrap().is_some()).collect()
    }

    #[test]
    fn the_reply_not_asked_for_the_longest_goes() {
        assert_eq!(keys(&store(2)), ["b", "c"]);
        let store = store(3);
        store.get("a").unwrap().unwrap();
        store.put("d", &Reply::new("1234")).unwrap();
        assert_eq!((keys(&store), store.len()), (vec!["a", "c"], 3));
        store.put("a", &Reply::new("5")).unwrap();
        assert_eq!((store.get("a").unwrap().unwrap().text(), store.len()), ("5", 3));
    }

    #[test]
    fn bytes_are_bounded_too() {
        let store = store(3).max_bytes(11);
        assert_eq!(keys(&store), ["b", "c"]);
        store.put("a", &Reply::new("12345678901")).unwrap();
        assert!(store.is_empty());
        assert_eq!(store.with(|kept| (kept.bytes, kept.ages.len())), (0, 0));
        store.put("a", &Reply::new("1234567890")).unwrap();
        assert_eq!(keys(&store), ["a"]);
    }

    #[test]
    fn none_may_be_kept() {
        assert!(store(0).is_empty());
    }

    #[test]
    fn what_it_holds_is_not_shown() {
        assert_eq!(format!("{:?}", store(2)), "MemoryStore(2 replies, 10 bytes)");
    }
}
