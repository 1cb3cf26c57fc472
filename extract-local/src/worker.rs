//! The thread that owns the model.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc},
    thread,
};

use extract::agent::{AgentError, Constraint, DeltaSink, Reply, Request};
use futures_channel::{mpsc as deltas, oneshot};
use serde_json::Value;

use crate::{engine::Engine, error::LocalModelError, text::panic_message};

type WorkerAnswer = Result<Reply, AgentError>;

/// Sends requests to the thread, which answers them one after the other. Dropping this value ends
/// the thread and drops the model.
#[derive(Debug)]
pub(super) struct Worker {
    jobs: mpsc::Sender<WorkerJob>,
}

enum WorkerJob {
    Reply {
        request: Box<Request>,
        /// The sink of a streamed reply. It never has more deltas than the reply may have tokens.
        deltas: Option<deltas::UnboundedSender<String>>,
        answer: oneshot::Sender<WorkerAnswer>,
    },
    Constraint {
        schema: Arc<Value>,
        answer: oneshot::Sender<Constraint>,
    },
}

impl Worker {
    /// Starts the thread and waits until `load` has finished there, because a runtime need not be
    /// `Send`.
    pub(super) fn start(
        load: impl FnOnce() -> Result<Engine, LocalModelError> + Send + 'static,
    ) -> Result<Self, LocalModelError> {
        let (jobs, queue) = mpsc::channel::<WorkerJob>();
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
    pub(super) async fn ask(&self, request: Request, sink: Option<DeltaSink<'_>>) -> WorkerAnswer {
        let gone = || AgentError::unavailable("the thread of the local model has ended");
        let (answer, reply) = oneshot::channel();
        let (sender, mut received) = deltas::unbounded();
        let deltas = sink.is_some().then_some(sender);
        let job = WorkerJob::Reply { request: Box::new(request), deltas, answer };
        self.jobs.send(job).map_err(|_| gone())?;
        if let Some(mut sink) = sink {
            // The end of the job also ends the stream.
            while let Ok(delta) = received.recv().await {
                sink.send(&delta);
                sink.pause().await;
            }
        }
        reply.await.unwrap_or_else(|_| Err(gone()))
    }

    /// How replies with `schema` are constrained. If the thread has ended, they are not; the
    /// request then reports the error.
    pub(super) async fn constraint(&self, schema: Arc<Value>) -> Constraint {
        let (answer, constraint) = oneshot::channel();
        if self.jobs.send(WorkerJob::Constraint { schema, answer }).is_err() {
            return Constraint::nothing();
        }
        constraint.await.unwrap_or_default()
    }
}

fn serve(mut engine: Engine, queue: &mpsc::Receiver<WorkerJob>) {
    while let Ok(job) = queue.recv() {
        match job {
            WorkerJob::Reply { request, deltas, answer } => reply(&mut engine, &request, deltas, answer),
            WorkerJob::Constraint { schema, answer } => constraint(&mut engine, &schema, answer),
        }
    }
}

fn reply(
    engine: &mut Engine,
    request: &Request,
    deltas: Option<deltas::UnboundedSender<String>>,
    answer: oneshot::Sender<WorkerAnswer>,
) {
    if answer.is_canceled() {
        return;
    }
    let mut send = deltas.map(|deltas| move |delta| drop(deltas.unbounded_send(delta)));
    let reply = catch_unwind(AssertUnwindSafe(|| {
        let sink = send.as_mut().map(|send| send as &mut dyn FnMut(String));
        engine.reply(request, &|| answer.is_canceled(), sink)
    }));
    drop(send);
    let reply = reply.unwrap_or_else(|panic| {
        // Prompts may be read in part; the weights never change.
        engine.reset();
        Err(AgentError::unavailable(format!("the local model panicked: {}", panic_message(&*panic))))
    });
    let _ = answer.send(reply);
}

fn constraint(engine: &mut Engine, schema: &Arc<Value>, answer: oneshot::Sender<Constraint>) {
    if answer.is_canceled() {
        return;
    }
    // Compiling a grammar does not touch the prompts. If it panics, the request will panic too and
    // report it.
    let constraint = catch_unwind(AssertUnwindSafe(|| engine.constraint(schema)));
    let _ = answer.send(constraint.unwrap_or_default());
}
