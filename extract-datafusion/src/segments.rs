//! Keeps answers on an object store, where other processes find them.
//!
//! Answers that are complete at the same time are written as one object, a segment: JSON Lines,
//! named by the hash of its bytes. So no process overwrites the segment of another, and a damaged
//! one is detected.

use std::{
    collections::HashSet,
    fmt::Write as _,
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::{Error, ObjectStore, ObjectStoreExt as _, Result, path::Path};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::job::{JobAnswer, Key};

/// The version of the format. With another one, earlier answers are not found.
const FORM: &str = "extractable segments 1";

/// Segments that are read at once.
const AT_ONCE: usize = 8;

pub(crate) struct Segments {
    store: Arc<dyn ObjectStore>,
    folder: Path,
    /// Segments that this process has read or written.
    known: Mutex<HashSet<Path>>,
    pending: Mutex<Pending>,
    /// The writer takes all lines that are pending by then, so that many answers become one
    /// segment.
    writing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Pending {
    /// Lines that are in no segment yet.
    lines: Vec<String>,
    /// The number of writes that have started.
    writes: u64,
}

#[derive(Serialize, Deserialize)]
struct Line<A> {
    text: String,
    answer: A,
}

impl Segments {
    /// The segments of answers with this `fingerprint`.
    pub(crate) fn new(store: Arc<dyn ObjectStore>, prefix: &Path, fingerprint: &str) -> Self {
        let folder = hex(&Sha256::digest(format!("{FORM}\n{fingerprint}")));
        Self {
            store,
            folder: prefix.clone().join(folder),
            known: Mutex::default(),
            pending: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
        }
    }

    /// The answers in new segments.
    pub(crate) async fn news(&self) -> Result<Vec<(Key, JobAnswer)>> {
        let is_new = |path: &Path| !lock(&self.known).contains(path);
        let all = self.store.list(Some(&self.folder));
        let new: Vec<Path> = all
            .map_ok(|meta| meta.location)
            .try_filter(|path| std::future::ready(is_new(path)))
            .try_collect()
            .await?;
        let read = stream::iter(new).map(|path| async {
            let lines = self.read(&path).await?;
            Ok::<_, Error>((path, lines))
        });
        let read: Vec<_> = read.buffer_unordered(AT_ONCE).try_collect().await?;
        let mut known = lock(&self.known);
        // If another task has read a segment meanwhile, its answers are already known.
        let fresh = read.into_iter().filter_map(|(path, lines)| known.insert(path).then_some(lines));
        Ok(fresh.flatten().collect())
    }

    async fn read(&self, path: &Path) -> Result<Vec<(Key, JobAnswer)>> {
        let bytes = self.store.get(path).await?.bytes().await?;
        if path.filename() != Some(&*name(&bytes)) {
            return Err(damaged(path, "its bytes are not those that were written".into()));
        }
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let read = lines.map(|line| {
            let Line { text, answer } = serde_json::from_slice(line)?;
            let key = key(&text).ok_or_else(|| format!("{text:?} is not a hash"))?;
            Ok((key, answer))
        });
        read.collect::<Result<_, Box<dyn std::error::Error + Send + Sync>>>()
            .map_err(|why| damaged(path, why))
    }

    /// Writes `answer` into a segment. If that fails, it stays pending for the next one.
    pub(crate) async fn keep(&self, text: &Key, answer: &JobAnswer) {
        // All of its keys are strings, and every part has a JSON form.
        let Ok(line) = serde_json::to_string(&Line { text: hex(text), answer }) else { return };
        let writes = {
            let mut pending = lock(&self.pending);
            pending.lines.push(line);
            pending.writes
        };
        let _writing = self.writing.lock().await;
        // A write that started since then included the line. If it failed, not every caller tries
        // again.
        if lock(&self.pending).writes == writes {
            // Callers get their answers in any case; `flush` reports the error.
            let _ = self.write().await;
        }
    }

    /// Writes all pending answers.
    pub(crate) async fn flush(&self) -> Result<()> {
        let _writing = self.writing.lock().await;
        self.write().await
    }

    async fn write(&self) -> Result<()> {
        let lines = {
            let mut pending = lock(&self.pending);
            pending.writes += 1;
            mem::take(&mut pending.lines)
        };
        if lines.is_empty() {
            return Ok(());
        }
        let text = lines.join("\n") + "\n";
        let path = self.folder.clone().join(name(text.as_bytes()));
        match self.store.put(&path, text.into()).await {
            Ok(_) => {
                lock(&self.known).insert(path);
                Ok(())
            }
            Err(error) => {
                lock(&self.pending).lines.extend(lines);
                Err(error)
            }
        }
    }
}

fn name(bytes: &[u8]) -> String {
    format!("{}.jsonl", hex(&Sha256::digest(bytes)))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn key(hex: &str) -> Option<Key> {
    let digits = |index: usize| hex.get(2 * index..2 * index + 2);
    let mut key = Key::default();
    for (index, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits(index)?, 16).ok()?;
    }
    (hex.len() == 2 * key.len()).then_some(key)
}

fn damaged(path: &Path, why: Box<dyn std::error::Error + Send + Sync>) -> Error {
    let source =
        format!("the segment {path} cannot be read: {why}; delete it, and its texts are asked about again");
    Error::Generic { store: "extractable", source: source.into() }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
