// agent.rs
#[derive(Clone)]
pub struct LocalModel {}

// builder.rs
#[cfg(feature = "llama-cpp")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    Candle,
    LlamaCpp,
}
#[derive(Clone)]
#[must_use = "nothing is loaded until `build` is called"]
pub struct LocalModelBuilder {}
impl LocalModel {
    pub fn load() -> Result<Self, LocalModelError> {}
    pub fn builder() -> LocalModelBuilder {}
}
impl LocalModelBuilder {
    pub fn model(mut self, model: impl Into<Model>) -> Self {}
    pub fn context(mut self, tokens: usize) -> Self {}
    pub fn max_output_tokens(mut self, tokens: usize) -> Self {}
    pub fn temperature(mut self, temperature: f64) -> Self {}
    pub fn seed(mut self, seed: u64) -> Self {}
    pub fn constrained(mut self, constrained: bool) -> Self {}
    pub fn on_unenforced(
        mut self,
        report: impl Fn(&UnenforcedConstraints) + Send + Sync + 'static,
    ) -> Self {}
    #[cfg(feature = "llama-cpp")]
    pub fn backend(mut self, backend: Backend) -> Self {}
    #[cfg(feature = "llama-cpp")]
    pub fn threads(mut self, threads: usize) -> Self {}
    pub fn build(self) -> Result<LocalModel, LocalModelError> {}
}

// error.rs
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocalModelError {
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    NoSuchModel { path: PathBuf, source: io::Error },
    WrongFile {
        path: PathBuf,
        discarded: bool,
        expected_bytes: u64,
        expected_sha256: String,
        actual_bytes: u64,
        actual_sha256: String,
    },
    TooLarge { path: PathBuf, expected_bytes: u64 },
    NotFetched {
        model: &'static str,
        hub: String,
        wheels: String,
        destination: PathBuf,
    },
    NoCacheFolder,
    Unsupported { path: PathBuf, reason: String },
    Load { path: PathBuf, reason: String },
    Thread(io::Error),
    Panicked,
}

// grammar/mod.rs
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct UnenforcedConstraints {
    pub schema: Arc<Value>,
    pub constrained: bool,
    pub reasons: Vec<String>,
}

// lib.rs
#[cfg(feature = "llama-cpp")]
pub use self::builder::Backend;
pub use self::{
    agent::LocalModel, builder::LocalModelBuilder, error::LocalModelError,
    grammar::UnenforcedConstraints, model::Model, weights::fetch,
};

// model.rs
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Model {
    Qwen25Coder1_5B,
    Qwen25Coder0_5B,
    File(PathBuf),
}

// weights/mod.rs
pub fn fetch(model: &Model) -> Result<PathBuf, LocalModelError> {}

