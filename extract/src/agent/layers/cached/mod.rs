//! A cache of replies.

mod memory;

use std::{
    error::Error,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;

pub use self::memory::MemoryStore;
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
