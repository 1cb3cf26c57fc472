// agent/answered.rs
#[non_exhaustive]
pub struct Answered<'a> {
    pub status: u16,
    pub headers: Vec<(&'a str, &'a str)>,
    pub request: &'a [u8],
    pub reply: &'a Reply,
}
impl Answered<'_> {
    pub fn header(&self, name: &str) -> Option<&str> {}
}

// agent/compatible.rs
#[derive(Debug, Clone)]
pub struct OpenAiCompatible {}
impl OpenAiCompatible {
    pub fn at(url: impl Into<String>, model: impl Into<String>) -> Self {}
    #[must_use]
    pub fn profile(self, profile: Profile) -> Self {}
    #[must_use]
    pub fn schema(mut self, schema: SchemaSupport) -> Self {}
    #[must_use]
    pub fn token_limit(mut self, name: &'static str) -> Self {}
    #[must_use]
    pub fn thinking(mut self, form: ThinkingForm) -> Self {}
    #[must_use]
    pub fn media(mut self, media: Media) -> Self {}
    #[must_use]
    pub fn prefill(mut self, prefill: Prefill) -> Self {}
    #[must_use]
    pub fn key_variable(self, name: impl Into<String>) -> Self {}
    pub fn build(self) -> Result<ProviderAgent, AgentError> {}
}

// agent/mod.rs
pub use self::{
    answered::Answered, compatible::OpenAiCompatible,
    provider::{ProviderAgent, StructuredOutput},
};

// agent/provider.rs
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StructuredOutput {
    Auto,
    Off,
    As(Dialect),
}
#[derive(Clone)]
pub struct ProviderAgent {}
impl ProviderAgent {
    pub const OPENAI: &str = env::OPENAI;
    pub const ANTHROPIC: &str = env::ANTHROPIC;
    pub const GEMINI: &str = env::GEMINI;
    pub const OLLAMA: &str = env::OLLAMA;
    pub fn new(model: impl AsRef<str>) -> Result<Self, AgentError> {}
    pub fn at(url: impl AsRef<str>, model: impl AsRef<str>) -> Result<Self, AgentError> {}
    pub fn from_env() -> Result<Option<Self>, AgentError> {}
    pub fn profile(&self) -> &Profile {}
}

// agent/settings.rs
impl ProviderAgent {
    #[must_use]
    pub fn key(self, key: impl AsRef<str>) -> Self {}
    pub fn header(
        mut self,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<Self, AgentError> {}
    pub fn body(self, members: Value) -> Result<Self, AgentError> {}
    #[must_use]
    pub fn seed(self, seed: i64) -> Self {}
    #[must_use]
    pub fn top_p(self, top_p: f64) -> Self {}
    #[must_use]
    pub fn caching(self, caches: bool) -> Self {}
    #[must_use]
    pub fn context_length(self, tokens: u32) -> Self {}
    #[must_use]
    pub fn structured_output(self, structured_output: StructuredOutput) -> Self {}
    #[must_use]
    pub fn log_probabilities(self, asks: bool) -> Self {}
    #[must_use]
    pub fn observe(
        self,
        observe: impl Fn(&Answered<'_>) + Send + Sync + 'static,
    ) -> Self {}
    pub fn proxy(self, url: impl AsRef<str>) -> Result<Self, AgentError> {}
    #[must_use]
    pub fn no_proxy(self) -> Self {}
    pub fn root_certificates(self, pem: impl AsRef<[u8]>) -> Result<Self, AgentError> {}
    #[must_use]
    pub fn connect_timeout(self, limit: Duration) -> Self {}
    #[must_use]
    pub fn silence_timeout(mut self, limit: Duration) -> Self {}
    #[must_use]
    pub fn max_body(mut self, bytes: usize) -> Self {}
}

// batch/directory.rs
#[derive(Debug, Clone)]
pub struct DirectoryBatches {}
impl DirectoryBatches {
    pub fn new(
        agent: ProviderAgent,
        folder: impl AsRef<Path>,
    ) -> Result<Self, AgentError> {}
}

// batch/mod.rs
pub use self::{directory::DirectoryBatches, provider::ProviderBatches};

// batch/provider.rs
#[derive(Debug, Clone)]
pub struct ProviderBatches {}
impl ProviderBatches {
    pub fn new(agent: ProviderAgent) -> Result<Self, AgentError> {}
}

// command/mod.rs
#[derive(Clone)]
pub struct CommandAgent {}
impl CommandAgent {
    pub fn new(program: impl Into<OsString>) -> Self {}
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {}
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {}
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {}
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {}
    pub fn env_clear(mut self) -> Self {}
    pub fn current_dir(mut self, folder: impl Into<PathBuf>) -> Self {}
    pub fn prompt_as_argument(mut self) -> Self {}
    pub fn prompt_at(mut self, placeholder: impl Into<String>) -> Self {}
    pub fn timeout(mut self, limit: Duration) -> Self {}
    pub fn accepted_exits(mut self, codes: impl IntoIterator<Item = i32>) -> Self {}
    pub fn permanent_exits(mut self, codes: impl IntoIterator<Item = i32>) -> Self {}
    pub fn max_output_bytes(mut self, bytes: usize) -> Self {}
    pub fn reply_at(mut self, pointer: impl Into<String>) -> Self {}
    pub fn failure_at(mut self, pointer: impl Into<String>) -> Self {}
    pub fn refusal_at(mut self, pointer: impl Into<String>) -> Self {}
    pub fn input_tokens_at(mut self, pointer: impl Into<String>) -> Self {}
    pub fn output_tokens_at(mut self, pointer: impl Into<String>) -> Self {}
}

// format/mod.rs
pub use self::{stop::StopMeaning, thinking::ThinkingForm, wire_format::WireFormat};

// format/stop.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopMeaning {
    Whole,
    Length,
    Filter,
    Repetition,
    Interrupted,
}
impl WireFormat {
    pub fn stop_reasons(self) -> &'static [(&'static str, StopMeaning)] {}
}

// format/thinking.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ThinkingForm {
    None,
    Effort,
    ReasoningEffort,
    Reasoning,
    Toggle,
    EnableThinking,
    TemplateArguments,
    Messages,
    ConverseMessages,
    ThinkingConfig,
    Think,
}

// format/wire_format.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WireFormat {
    ChatCompletions,
    Responses,
    Messages,
    GenerateContent,
    OllamaChat,
    Converse,
}
impl WireFormat {
    pub const ALL: [Self; 6] = [
        Self::ChatCompletions,
        Self::Responses,
        Self::Messages,
        Self::GenerateContent,
        Self::OllamaChat,
        Self::Converse,
    ];
}

// lib.rs
#[cfg(feature = "command")]
pub use self::command::CommandAgent;
#[cfg(feature = "redb")]
pub use self::redb_store::{OpenStoreError, RedbStore};
#[cfg(feature = "providers")]
pub use self::{
    agent::{Answered, OpenAiCompatible, ProviderAgent, StructuredOutput},
    batch::{DirectoryBatches, ProviderBatches},
    format::{StopMeaning, ThinkingForm, WireFormat},
    profile::{
        BatchEndpoint, BatchForm, BatchInterface, BatchMark, Caching, DocumentForm,
        Enforcement, KeyHeader, Media, Prefill, Profile, SchemaForm, SchemaSupport,
        markdown,
    },
};

// profile/all.rs
impl Profile {
    pub const ALL: [Self; 30] = [
        anthropic::ANTHROPIC,
        azure::AZURE,
        bedrock::BEDROCK,
        bedrock::BEDROCK_CONVERSE,
        cerebras::CEREBRAS,
        cohere::COHERE,
        deepseek::DEEPSEEK,
        fireworks::FIREWORKS,
        gemini::GEMINI,
        github::GITHUB,
        groq::GROQ,
        huggingface::HUGGINGFACE,
        kimi::KIMI,
        litellm::LITELLM,
        llama_cpp::LLAMA_CPP,
        lmstudio::LMSTUDIO,
        mistral::MISTRAL,
        nvidia::NVIDIA,
        ollama::OLLAMA,
        openai::OPENAI,
        openai::OPENAI_RESPONSES,
        openrouter::OPENROUTER,
        perplexity::PERPLEXITY,
        qwen::QWEN,
        sglang::SGLANG,
        together::TOGETHER,
        vertex::VERTEX,
        vllm::VLLM,
        xai::XAI,
        zai::ZAI,
    ];
    pub fn find(name: &str) -> Option<Self> {}
}

// profile/batching.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchInterface {
    pub form: BatchForm,
    pub limits: BatchLimits,
    pub mark: BatchMark,
    pub provider_limits: &'static str,
    pub source: &'static str,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BatchForm {
    Files { endpoint: BatchEndpoint },
    TogetherFiles,
    Jobs,
    Messages,
    Generate,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BatchEndpoint {
    Versioned,
    Plain,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BatchMark {
    Metadata,
    DisplayName,
    FileName,
    RequestIds,
}

// profile/definition.rs
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Profile {
    pub name: &'static str,
    pub title: &'static str,
    pub address: &'static str,
    pub address_variable: Option<(&'static str, &'static str)>,
    pub key_variables: &'static [&'static str],
    pub key_header: KeyHeader,
    pub needs_key: bool,
    pub headers: &'static [(&'static str, &'static str)],
    pub wire: WireFormat,
    pub schema: SchemaSupport,
    pub schema_of_model: fn(SchemaSupport, &str) -> SchemaSupport,
    pub with_schema: Option<(&'static str, &'static str)>,
    pub token_limit: &'static str,
    pub thinking: ThinkingForm,
    pub caching: Caching,
    pub seed: Option<&'static str>,
    pub prefill: Prefill,
    pub continues: fn(&str) -> bool,
    pub log_probabilities: bool,
    pub counts_log_probabilities: bool,
    pub batch: Option<BatchInterface>,
    pub stop_reasons: &'static [(&'static str, StopMeaning)],
    pub reports_usage_on_request: bool,
    pub calls_tools: bool,
    pub media: Media,
    pub documents: DocumentForm,
    pub read: &'static str,
    pub sources: &'static [&'static str],
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyHeader {
    Bearer,
    Named(&'static str),
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Caching {
    Unknown,
    Automatic,
    Breakpoints,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Prefill {
    None,
    LastTurn,
    RepeatedLastTurn,
    ContinueFinalMessage,
    Prefix,
    Partial,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Media {
    Nothing,
    Images,
    ImagesAndDocuments,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DocumentForm {
    File,
    DocumentUrl,
    FileUrl,
}
impl Profile {
    pub const CHAT_COMPLETIONS: Self = Self {
        name: "openai-compatible",
        title: "OpenAI-compatible server",
        address: "",
        address_variable: None,
        key_variables: &[],
        key_header: KeyHeader::Bearer,
        needs_key: false,
        headers: &[],
        wire: WireFormat::ChatCompletions,
        schema: SchemaSupport::requested(Dialect::OpenAi),
        schema_of_model: |support, _| support,
        with_schema: None,
        token_limit: "max_tokens",
        thinking: ThinkingForm::Effort,
        caching: Caching::Unknown,
        seed: Some("seed"),
        prefill: Prefill::None,
        continues: |_| true,
        log_probabilities: false,
        counts_log_probabilities: false,
        batch: None,
        stop_reasons: &[],
        reports_usage_on_request: true,
        calls_tools: true,
        media: Media::Images,
        documents: DocumentForm::File,
        read: "",
        sources: &[],
    };
    pub fn address_of_environment(&self) -> Option<String> {}
    pub fn schema_of(&self, model: &str) -> SchemaSupport {}
    pub fn continues_replies(&self, model: &str) -> bool {}
}

// profile/mod.rs
pub use self::{
    batching::{BatchEndpoint, BatchForm, BatchInterface, BatchMark},
    definition::{Caching, DocumentForm, KeyHeader, Media, Prefill, Profile},
    support::{Enforcement, SchemaForm, SchemaSupport},
    table::markdown,
};

// profile/support.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaSupport {
    pub dialect: Option<Dialect>,
    pub form: SchemaForm,
    pub enforcement: Enforcement,
    pub without: &'static [&'static str],
    pub max_properties: Option<usize>,
    pub max_levels: Option<usize>,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaForm {
    JsonSchema { strict: Option<bool> },
    JsonObject,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Enforcement {
    Requested,
    Decoder,
    Provider,
}
impl SchemaSupport {
    pub const NONE: Self = Self {
        dialect: None,
        form: SchemaForm::JsonSchema {
            strict: None,
        },
        enforcement: Enforcement::Requested,
        without: &[],
        max_properties: None,
        max_levels: None,
    };
    pub const fn by_provider(dialect: Dialect) -> Self {}
    pub const fn by_decoder(dialect: Dialect) -> Self {}
    pub const fn requested(dialect: Dialect) -> Self {}
    pub const fn in_form(self, form: SchemaForm) -> Self {}
}

// profile/table.rs
pub fn markdown() -> String {}

// redb_store/file.rs
#[derive(Debug)]
pub struct OpenStoreError {}

// redb_store/mod.rs
pub use self::file::OpenStoreError;
#[derive(Clone)]
pub struct RedbStore {}
impl RedbStore {
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenStoreError> {}
    pub fn max_replies(self, replies: u64) -> Self {}
    pub fn moved_aside(&self) -> Vec<PathBuf> {}
}

