//! Settings of a model before it is loaded.

#[cfg(feature = "llama-cpp")]
use std::thread;
use std::{fmt, path::Path, sync::Arc};

#[cfg(feature = "llama-cpp")]
use crate::runtime::llama_cpp::LlamaCpp;
use crate::{
    agent::LocalModel,
    engine::{Engine, EngineSettings, UnenforcedReport},
    error::LocalModelError,
    gguf::Gguf,
    grammar::UnenforcedConstraints,
    model::Model,
    runtime::{Runtime, candle::Candle},
    weights::fetch,
    worker::Worker,
};

/// The inference library of a [`LocalModel`].
///
/// The replies of the two may differ, because they round differently.
#[cfg(feature = "llama-cpp")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// candle, which is written in Rust.
    #[default]
    Candle,
    /// llama.cpp.
    LlamaCpp,
}

/// Settings of a [`LocalModel`].
///
/// ```no_run
/// use extract_local::LocalModel;
///
/// let agent = LocalModel::builder()
///     .model("models/qwen2.5-coder-3b-instruct-q4_k_m.gguf")
///     .context(16_384)
///     .max_output_tokens(4096)
///     .build()?;
/// # Ok::<(), extract_local::LocalModelError>(())
/// ```
#[derive(Clone)]
#[must_use = "nothing is loaded until `build` is called"]
pub struct LocalModelBuilder {
    model: Option<Model>,
    pub(super) settings: EngineSettings,
    #[cfg(feature = "llama-cpp")]
    backend: Backend,
    #[cfg(feature = "llama-cpp")]
    threads: Option<usize>,
}

impl Default for LocalModelBuilder {
    fn default() -> Self {
        // A schema that is enforced in part is reported in a note on each reply.
        let report: UnenforcedReport = Arc::new(|unenforced| {
            if !unenforced.constrained {
                eprintln!("extract: {unenforced}");
            }
        });
        let settings = EngineSettings {
            context: 8192,
            max_output_tokens: 2048,
            temperature: 0.0,
            seed: 0,
            constrained: true,
            report,
        };
        Self {
            model: None,
            settings,
            #[cfg(feature = "llama-cpp")]
            backend: Backend::default(),
            #[cfg(feature = "llama-cpp")]
            threads: None,
        }
    }
}

impl LocalModel {
    /// Loads the model named by the environment variable `EXTRACT_MODEL` (a name or a path), else
    /// Qwen2.5-Coder 1.5B. Blocks while it loads, and while it downloads if needed; see [`fetch`].
    ///
    /// # Errors
    ///
    /// [`LocalModelError`] when the weights are unavailable, are not the published ones, or cannot
    /// be run.
    pub fn load() -> Result<Self, LocalModelError> {
        Self::builder().build()
    }

    /// A builder with the default settings.
    pub fn builder() -> LocalModelBuilder {
        LocalModelBuilder::default()
    }
}

impl LocalModelBuilder {
    /// The model, by name or path; see [`Model`]. Takes precedence over `EXTRACT_MODEL`.
    pub fn model(mut self, model: impl Into<Model>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Maximum tokens of a conversation including its reply; 8192 by default, and never more than
    /// the model supports (32,768 for the published ones). Keys and values of one token take 57 kB
    /// with the 1.5B model and 25 kB with the 0.5B one; candle allocates them only for existing
    /// tokens.
    pub fn context(mut self, tokens: usize) -> Self {
        self.settings.context = tokens;
        self
    }

    /// Maximum tokens of a reply if the request sets none; 2048 by default.
    pub fn max_output_tokens(mut self, tokens: usize) -> Self {
        self.settings.max_output_tokens = tokens;
        self
    }

    /// Sampling temperature if the request sets none; 0 by default, which always picks the most
    /// probable token and gives the same reply to the same request.
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.settings.temperature = temperature;
        self
    }

    /// Seed of the random numbers for a temperature above 0; 0 by default.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// Sets whether replies are constrained to the schema of the request while they are written;
    /// true by default.
    pub fn constrained(mut self, constrained: bool) -> Self {
        self.settings.constrained = constrained;
        self
    }

    /// Sets a callback for the first time that a schema cannot be enforced in full. It runs on the
    /// thread of the model. By default, a line is printed to standard error for a schema that
    /// cannot be enforced at all.
    pub fn on_unenforced(mut self, report: impl Fn(&UnenforcedConstraints) + Send + Sync + 'static) -> Self {
        self.settings.report = Arc::new(report);
        self
    }

    /// The inference library; candle by default.
    #[cfg(feature = "llama-cpp")]
    pub fn backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// Number of threads for [`Backend::LlamaCpp`]; by default as many as the process may run at
    /// once. Those of candle are set for the whole process, see [`LocalModel`].
    #[cfg(feature = "llama-cpp")]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Finds the weights and loads them. Blocks; see [`LocalModel::load`].
    ///
    /// # Errors
    ///
    /// [`LocalModelError`] when the weights are unavailable, are not the published ones, or cannot
    /// be run.
    pub fn build(self) -> Result<LocalModel, LocalModelError> {
        let model = self.model.clone().unwrap_or_else(Model::from_environment);
        let path = fetch(&model)?;
        let temperature = self.settings.temperature;
        let worker = Worker::start(move || self.load(&path))?;
        Ok(LocalModel { name: format!("local/{model}").into(), temperature, worker: Arc::new(worker) })
    }

    fn load(self, path: &Path) -> Result<Engine, LocalModelError> {
        let gguf = Gguf::open(path)?;
        let mut settings = self.settings.clone();
        settings.context = settings.context.min(gguf.context_length()?);
        let context = settings.context;
        Engine::new(gguf, settings, |gguf| self.runtime(gguf, context))
    }

    #[cfg_attr(not(feature = "llama-cpp"), allow(clippy::unused_self))]
    fn runtime(&self, gguf: Gguf, context: usize) -> Result<Box<dyn Runtime>, LocalModelError> {
        #[cfg(feature = "llama-cpp")]
        if self.backend == Backend::LlamaCpp {
            let threads = self.threads.or_else(|| thread::available_parallelism().ok().map(usize::from));
            return Ok(Box::new(LlamaCpp::load(&gguf.path, context, threads.unwrap_or(1))?));
        }
        Ok(Box::new(Candle::load(gguf, context)?))
    }
}

impl fmt::Debug for LocalModelBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalModelBuilder").field("model", &self.model).finish_non_exhaustive()
    }
}
