//! Replies in a file, so that nothing is paid for twice.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use extract::agent::{Agent, AgentExt as _, Cached, Reply, ReplyStore, StoreError};
use extract_agents::RedbStore;

use crate::{
    error::{Exit, Failure},
    output,
};

type CachedAgent = Cached<Arc<dyn Agent>, AgentReplies>;

/// The replies of one agent. A provider and another server that speaks like it have one name for the
/// library.
#[derive(Clone)]
struct AgentReplies {
    store: RedbStore,
    agent: String,
}

impl AgentReplies {
    fn key(&self, key: &str) -> String {
        format!("{} {key}", self.agent)
    }
}

impl ReplyStore for AgentReplies {
    fn get(&self, key: &str) -> Result<Option<Reply>, StoreError> {
        self.store.get(&self.key(key))
    }

    fn put(&self, key: &str, reply: &Reply) -> Result<(), StoreError> {
        self.store.put(&self.key(key), reply)
    }
}

/// Where replies are kept.
#[derive(Debug, PartialEq, clap::Args)]
pub(crate) struct CacheArgs {
    /// Keep all replies in this file, and take those that are there already: an interrupted command goes on, and a repeated
    /// one asks nothing again
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
}

impl CacheArgs {
    pub(crate) fn path(&self) -> Option<&Path> {
        self.cache.as_deref()
    }

    /// Opens the file, if one is given.
    pub(crate) fn open(&self) -> Result<Option<ReplyCache>, Failure> {
        self.path().map(ReplyCache::open).transpose()
    }
}

/// A file with replies, and the agents that use it.
pub(crate) struct ReplyCache {
    path: PathBuf,
    store: RedbStore,
    agents: Mutex<Vec<CachedAgent>>,
}

impl ReplyCache {
    /// Opens the file, or creates it.
    fn open(path: &Path) -> Result<Self, Failure> {
        let store = RedbStore::open(path).map_err(|error| {
            Failure::new(Exit::Storage, error.to_string()).help("`--cache` is a file of its own")
        })?;
        Ok(Self { path: path.to_owned(), store, agents: Mutex::default() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns an agent that is asked only what is not in the file. `name` tells it from all others.
    pub(crate) fn around(&self, name: String, agent: Box<dyn Agent>) -> Box<dyn Agent> {
        let replies = AgentReplies { store: self.store.clone(), agent: name };
        let agent = Arc::<dyn Agent>::from(agent).cached(replies);
        self.agents.lock().unwrap_or_else(PoisonError::into_inner).push(agent.clone());
        Box::new(agent)
    }

    /// Says how many replies were in the file, because tokens and seconds are those of the others.
    pub(crate) fn remark(&self) {
        let agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        let stats: Vec<_> = agents.iter().map(Cached::stats).collect();
        let path = self.path.display();
        let hits: u64 = stats.iter().map(|stats| stats.hits).sum();
        if hits > 0 {
            let answers = output::counted(hits, "answer");
            output::remark(output::plain(&format!(
                "{answers} taken from `{path}`; the tokens and seconds are those of the others"
            )));
        }
        if let Some(failure) = stats.into_iter().find_map(|stats| stats.last_failure) {
            output::remark(output::plain(&failure));
        }
    }
}
