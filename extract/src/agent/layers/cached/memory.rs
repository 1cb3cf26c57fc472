//! Replies in memory.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use super::{ReplyStore, StoreError};
use crate::agent::Reply;

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
