//! The agent with real programs.

mod ends;
mod failures;
mod prompts;
mod replies;

use std::{
    path::PathBuf,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use extract::agent::{Agent, AgentError, AgentErrorKind, Conversation, Reply, Request, Role};

use super::CommandAgent;

/// A program written in the language of the shell that every Unix has.
fn sh(script: &str) -> CommandAgent {
    CommandAgent::new("sh").args(["-c", script])
}

fn request(prompt: &str) -> Request {
    Request::new(Conversation::new().with(Role::User, prompt))
}

async fn ask(agent: &CommandAgent, prompt: &str) -> Result<Reply, AgentError> {
    agent.respond(&request(prompt)).await
}

/// The reply to a prompt whose text does not matter.
async fn reply(agent: &CommandAgent) -> String {
    ask(agent, "…").await.unwrap().text().to_owned()
}

async fn fail(agent: &CommandAgent) -> AgentError {
    ask(agent, "…").await.unwrap_err()
}

#[track_caller]
fn assert_error(error: &AgentError, kind: AgentErrorKind, message: &str) {
    assert_eq!((error.kind(), error.message()), (kind, message));
}

/// More than fits into a pipe.
fn long_prompt() -> String {
    "x".repeat(1_000_000)
}

/// A folder that is removed with its content on drop.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("extract-command-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.0.join(name)).ok().filter(|text| text.ends_with('\n'))
    }

    /// Waits until a script has written the id of a process into `name`.
    async fn process(&self, name: &str) -> String {
        eventually("the script starts", || self.read(name)).await.trim().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Returns whether the process runs. A zombie does not count as running.
fn is_running(process: &str) -> bool {
    let state = std::process::Command::new("ps").args(["-o", "stat=", "-p", process]).output().unwrap();
    let state = String::from_utf8(state.stdout).unwrap();
    !state.trim().is_empty() && !state.trim().starts_with('Z')
}

async fn assert_ends(process: &str) {
    eventually(&format!("process {process} is killed"), || (!is_running(process)).then_some(())).await;
}
