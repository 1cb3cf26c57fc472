//! A backend that is faster and uses less memory. It needs a C++ compiler, cmake and libclang to
//! build.

use std::{
    num::NonZeroU32,
    path::Path,
    sync::{OnceLock, mpsc},
    thread,
};

use llama_cpp_2::{
    context::{LlamaContext, params::LlamaContextParams},
    llama_backend::LlamaBackend,
    llama_batch::LlamaBatch,
    model::{LlamaModel, params::LlamaModelParams},
    token::LlamaToken,
};
use toktrie::TokenId;

use super::Runtime;
use crate::{error::LocalModelError, prefixes::SEQUENCES};

/// llama.cpp on its own thread.
///
/// Its context borrows its model, so one function on the thread owns both. Dropping this value ends
/// the thread.
pub(crate) struct LlamaCpp {
    calls: mpsc::Sender<Call>,
    scores: mpsc::Receiver<Scores>,
}

type Scores = Result<Vec<f32>, String>;

enum Call {
    Read { sequence: usize, position: usize, tokens: Vec<TokenId> },
    Forget(usize),
}

impl LlamaCpp {
    /// Loads the weights; all sequences together may have `context` tokens.
    pub(crate) fn load(path: &Path, context: usize, threads: usize) -> Result<Self, LocalModelError> {
        let (calls, todo) = mpsc::channel();
        let (results, scores) = mpsc::channel();
        let (loaded, outcome) = mpsc::channel();
        let file = path.to_path_buf();
        let run = move || {
            if let Err(error) = serve(&file, context, threads, &loaded, &todo, &results) {
                let _ = loaded.send(Err(error));
            }
        };
        thread::Builder::new()
            .name("extract-llama-cpp".into())
            .spawn(run)
            .map_err(LocalModelError::Thread)?;
        let failed = |reason| LocalModelError::Load { path: path.to_path_buf(), reason };
        outcome.recv().map_err(|_| LocalModelError::Panicked)?.map_err(failed)?;
        Ok(Self { calls, scores })
    }
}

impl Runtime for LlamaCpp {
    fn read(&mut self, sequence: usize, position: usize, tokens: &[TokenId]) -> Scores {
        let call = Call::Read { sequence, position, tokens: tokens.to_vec() };
        // Both fail only if the thread has panicked.
        self.calls.send(call).map_err(|_| "its thread has ended")?;
        self.scores.recv().map_err(|_| "its thread has ended")?
    }

    fn forget(&mut self, sequence: usize) {
        // If the thread has ended, nothing has to be forgotten.
        let _ = self.calls.send(Call::Forget(sequence));
    }
}

/// Can be initialized once in a process, and stays.
fn backend() -> Result<&'static LlamaBackend, String> {
    static BACKEND: OnceLock<Result<LlamaBackend, String>> = OnceLock::new();
    let initialize = || {
        let mut backend = LlamaBackend::init().map_err(|error| error.to_string())?;
        // It would log everything to standard error; errors are returned anyway.
        backend.void_logs();
        Ok(backend)
    };
    BACKEND.get_or_init(initialize).as_ref().map_err(Clone::clone)
}

fn serve(
    path: &Path,
    context: usize,
    threads: usize,
    loaded: &mpsc::Sender<Result<(), String>>,
    todo: &mpsc::Receiver<Call>,
    results: &mpsc::Sender<Scores>,
) -> Result<(), String> {
    let backend = backend()?;
    let model = LlamaModel::load_from_file(backend, path, &LlamaModelParams::default())
        .map_err(|error| error.to_string())?;
    let mut context = model
        .new_context(backend, parameters(context, threads)?)
        .map_err(|error| format!("no context of {context} tokens: {error}"))?;
    let _ = loaded.send(Ok(()));
    while let Ok(call) = todo.recv() {
        match call {
            Call::Read { sequence, position, tokens } => {
                let _ = results.send(read(&mut context, sequence, position, &tokens));
            }
            Call::Forget(sequence) => {
                // Removing a whole sequence always succeeds.
                let _ = context.clear_kv_cache_seq(u32::try_from(sequence).ok(), None, None);
            }
        }
    }
    Ok(())
}

/// One pool of `context` cells for all sequences: [`Prefixes`](crate::prefixes) ensures that
/// together they need no more.
fn parameters(context: usize, threads: usize) -> Result<LlamaContextParams, String> {
    let cells = u32::try_from(context).ok().and_then(NonZeroU32::new).ok_or("the context is out of range")?;
    let threads = i32::try_from(threads).map_err(|_| "the number of threads is out of range")?;
    Ok(LlamaContextParams::default()
        .with_n_ctx(Some(cells))
        .with_n_seq_max(u32::try_from(SEQUENCES).unwrap_or(u32::MAX))
        .with_kv_unified(true)
        .with_n_threads(threads)
        .with_n_threads_batch(threads))
}

fn read(context: &mut LlamaContext<'_>, sequence: usize, position: usize, tokens: &[TokenId]) -> Scores {
    let number = |number: usize| i32::try_from(number).map_err(|_| "a position is out of range");
    let id = number(sequence)?;
    let (sequence, from) = (u32::try_from(sequence).ok(), u32::try_from(position).ok());
    match context.clear_kv_cache_seq(sequence, from, None) {
        Ok(true) => {}
        Ok(false) => return Err(format!("what was read from position {position} on cannot be forgotten")),
        Err(error) => return Err(error.to_string()),
    }
    let mut batch = LlamaBatch::new(tokens.len(), 1);
    for (index, token) in tokens.iter().enumerate() {
        let token = LlamaToken::new(i32::try_from(*token).map_err(|_| "a token is out of range")?);
        let is_last = index + 1 == tokens.len();
        batch.add(token, number(position + index)?, &[id], is_last).map_err(|error| error.to_string())?;
    }
    context.decode(&mut batch).map_err(|error| error.to_string())?;
    Ok(context.get_logits_ith(batch.n_tokens() - 1).to_vec())
}
