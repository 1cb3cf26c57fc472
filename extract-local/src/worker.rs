//! The thread that owns the model.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    thread,
};

use extract::agent::{AgentError, DeltaSink, Reply, Request};
use futures_channel::{mpsc as deltas, oneshot};

use crate::{engine::Engine, error::LocalModelError, text::panic_message};

type Answer = Result<Reply, AgentError>;

/// Sends requests to the thread, which answers them one after the other. Dropping this value ends
/// the thread and drops the model.
#[derive(Debug)]
pub(super) struct Worker {
    jobs: mpsc::Sender<Job>,
}

struct Job {
    request: Request,
    /// The sink of a streamed reply. It never has more deltas than the reply may have tokens.
    deltas: Option<deltas::UnboundedSender<String>>,
    answer: oneshot::Sender<Answer>,
}

impl Worker {
    /// Starts the thread and waits until `load` is done there: what a runtime holds need not be
    /// `Send`.
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

    /// Requests a reply. Dropping the future cancels it: at once if it has not started, else within
    /// one step of the model.
    pub(super) async fn ask(&self, request: Request, sink: Option<DeltaSink<'_>>) -> Answer {
        let gone = || AgentError::unavailable("the thread of the local model has ended");
        let (answer, reply) = oneshot::channel();
        let (sender, mut received) = deltas::unbounded();
        let deltas = sink.is_some().then_some(sender);
        self.jobs.send(Job { request, deltas, answer }).map_err(|_| gone())?;
        if let Some(mut sink) = sink {
            // The end of the job also ends the stream.
            while let Ok(delta) = received.recv().await {
                sink.send(&delta);
            }
        }
        reply.await.unwrap_or_else(|_| Err(gone()))
    }
}

fn serve(mut engine: Engine, queue: &mpsc::Receiver<Job>) {
    while let Ok(Job { request, deltas, answer }) = queue.recv() {
        if answer.is_canceled() {
            continue;
        }
        let mut send = deltas.map(|deltas| move |delta| drop(deltas.unbounded_send(delta)));
        let reply = catch_unwind(AssertUnwindSafe(|| {
            let sink = send.as_mut().map(|send| send as &mut dyn FnMut(String));
            engine.reply(&request, &|| answer.is_canceled(), sink)
        }));
        drop(send);
        let reply = reply.unwrap_or_else(|panic| {
            // Prompts may be read in part; the weights never change.
            engine.reset();
            Err(AgentError::unavailable(format!("the local model panicked: {}", panic_message(&*panic))))
        });
        let _ = answer.send(reply);
    }
}
