//! The one thread that owns the model.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    thread,
};

use futures_channel::oneshot;

use super::{LocalModelError, engine::Engine};
use crate::{
    agent::{AgentError, Reply, Request},
    text::panic_message,
};

type Answer = Result<Reply, AgentError>;

/// Hands requests to the thread, which answers them one after the other. The thread ends, and the model
/// with it, when this value is dropped.
#[derive(Debug)]
pub(super) struct Worker {
    jobs: mpsc::Sender<Job>,
}

struct Job {
    request: Request,
    answer: oneshot::Sender<Answer>,
}

impl Worker {
    /// Starts the thread and waits until `load` is done there: what a runtime holds need not be `Send`.
    pub(super) fn start(
        load: impl FnOnce() -> Result<Engine, LocalModelError> + Send + 'static,
    ) -> Result<Self, LocalModelError> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let (loaded, outcome) = mpsc::channel();
        let run = move || match load() {
            Ok(engine) => {
                let _ = loaded.send(Ok(()));
                serve(engine, &queue);
            }
            Err(error) => {
                let _ = loaded.send(Err(error));
            }
        };
        let thread = thread::Builder::new().name("extract-local-model".into());
        thread.spawn(run).map_err(LocalModelError::Thread)?;
        // The channel closes without a message only if `load` panicked.
        outcome.recv().unwrap_or(Err(LocalModelError::Panicked))?;
        Ok(Self { jobs })
    }

    /// Asks for a reply. Dropping the future cancels: before its turn at once, after that within one
    /// step of the model.
    pub(super) async fn ask(&self, request: Request) -> Answer {
        let gone = || AgentError::unavailable("the thread of the local model has ended");
        let (answer, reply) = oneshot::channel();
        self.jobs.send(Job { request, answer }).map_err(|_| gone())?;
        reply.await.unwrap_or_else(|_| Err(gone()))
    }
}

fn serve(mut engine: Engine, queue: &mpsc::Receiver<Job>) {
    while let Ok(Job { request, answer }) = queue.recv() {
        if answer.is_canceled() {
            continue;
        }
        let reply = catch_unwind(AssertUnwindSafe(|| engine.reply(&request, &|| answer.is_canceled())));
        let reply = reply.unwrap_or_else(|panic| {
            // Prompts may be half read; the weights are never written to.
            engine.reset();
            Err(AgentError::unavailable(format!("the local model panicked: {}", panic_message(&*panic))))
        });
        let _ = answer.send(reply);
    }
}
