//! The one thread that owns the model.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    thread,
};

use extract::agent::{AgentError, DeltaSink, Reply, Request};
use futures_channel::{mpsc as pieces, oneshot};

use crate::{engine::Engine, error::LocalModelError, text::panic_message};

type Answer = Result<Reply, AgentError>;

/// Hands requests to the thread, which answers them one after the other. The thread ends, and the model
/// with it, when this value is dropped.
#[derive(Debug)]
pub(super) struct Worker {
    jobs: mpsc::Sender<Job>,
}

struct Job {
    request: Request,
    /// Where somebody hears the reply while it is written. There are no more of them than the reply may have tokens.
    pieces: Option<pieces::UnboundedSender<String>>,
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
    pub(super) async fn ask(&self, request: Request, sink: Option<DeltaSink<'_>>) -> Answer {
        let gone = || AgentError::unavailable("the thread of the local model has ended");
        let (answer, reply) = oneshot::channel();
        let (sender, mut told) = pieces::unbounded();
        let pieces = sink.is_some().then_some(sender);
        self.jobs.send(Job { request, pieces, answer }).map_err(|_| gone())?;
        if let Some(mut sink) = sink {
            // The end of the job, whichever it is, is the end of the pieces.
            while let Ok(piece) = told.recv().await {
                sink.send(&piece);
            }
        }
        reply.await.unwrap_or_else(|_| Err(gone()))
    }
}

fn serve(mut engine: Engine, queue: &mpsc::Receiver<Job>) {
    while let Ok(Job { request, pieces, answer }) = queue.recv() {
        if answer.is_canceled() {
            continue;
        }
        let mut send = pieces.map(|pieces| move |piece| drop(pieces.unbounded_send(piece)));
        let reply = catch_unwind(AssertUnwindSafe(|| {
            let tell = send.as_mut().map(|send| send as &mut dyn FnMut(String));
            engine.reply(&request, &|| answer.is_canceled(), tell)
        }));
        drop(send);
        let reply = reply.unwrap_or_else(|panic| {
            // Prompts may be half read; the weights are never written to.
            engine.reset();
            Err(AgentError::unavailable(format!("the local model panicked: {}", panic_message(&*panic))))
        });
        let _ = answer.send(reply);
    }
}
