//! Jobs over many documents.

mod batches;
mod documents;
mod ends;
mod journals;
mod kills;
mod running;
mod runs;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use extract::{
    Contract,
    agent::{Agent, AgentError, Reply, ReplyFuture, Request},
};
use extract_bulk::Doc;
use serde_json::json;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("extract-bulk-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// An agent that answers each `<n>` in the prompt with its own reply, and counts.
struct Answers<F> {
    name: &'static str,
    asked: Mutex<Vec<String>>,
    answer: F,
}

impl<F: Fn(&str) -> Result<String, AgentError> + Send + Sync> Answers<F> {
    fn new(answer: F) -> Self {
        Self { name: "answers", asked: Mutex::default(), answer }
    }

    /// Returns the documents in the questions since the last call, in order.
    fn take_asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

impl<F: Fn(&str) -> Result<String, AgentError> + Send + Sync> Agent for Answers<F> {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async move {
            let text = request.conversation.to_text();
            let name =
                text.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map_or("", |(name, _)| name);
            self.asked.lock().unwrap().push(name.to_owned());
            (self.answer)(name).map(Reply::new)
        })
    }

    fn name(&self) -> std::borrow::Cow<'_, str> {
        self.name.into()
    }
}

/// One that answers with the number.
fn echo() -> Answers<impl Fn(&str) -> Result<String, AgentError> + Send + Sync> {
    Answers::new(|name: &str| Ok(name.to_owned()))
}

fn doc(name: u32) -> Doc {
    let name = name.to_string();
    Doc::new(name.clone(), format!("<{name}>"))
}

fn docs(count: u32) -> impl Iterator<Item = Doc> + Send {
    (0..count).map(doc)
}

fn integers() -> Contract {
    Contract::from_schema(json!({"type": "integer"})).unwrap()
}

fn lines(path: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
