// agent/batch.rs
pub type BatchFuture<'a, T> = Pin<
    Box<dyn Future<Output = Result<T, AgentError>> + Send + 'a>,
>;
pub type BatchSink<'a> = Box<dyn FnMut(&str, &[u8]) + Send + 'a>;
pub trait BatchAgent: Send + Sync {
    fn write(&self, id: &str, request: &Request) -> Result<WrittenRequest, AgentError>;
    fn read(
        &self,
        request: &Request,
        sent: &str,
        answer: &[u8],
    ) -> Result<Reply, AgentError>;
    fn submit<'a>(&'a self, file: &'a [u8], mark: &'a str) -> BatchFuture<'a, String>;
    fn find<'a>(&'a self, lost: LostBatch<'a>) -> BatchFuture<'a, BatchSearch>;
    fn status<'a>(&'a self, id: &'a str) -> BatchFuture<'a, BatchStatus>;
    fn results<'a>(&'a self, id: &'a str, sink: BatchSink<'a>) -> BatchFuture<'a, ()>;
    fn cancel<'a>(&'a self, id: &'a str) -> BatchFuture<'a, ()>;
    fn limits(&self) -> BatchLimits {}
}
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenRequest {
    pub line: Vec<u8>,
    pub sent: String,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostBatch<'a> {
    pub mark: &'a str,
    pub requests: usize,
}
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchSearch {
    Found(String),
    Missing,
    Undecided,
}
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum BatchStatus {
    Open,
    Ended,
    Refused { reason: String },
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BatchLimits {
    pub requests: usize,
    pub bytes: usize,
}

// agent/capabilities.rs
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Capabilities {
    pub calls_tools: bool,
    pub sets_thinking: bool,
    pub temperature: Option<f64>,
    pub thinks_first: bool,
    pub continues_replies: bool,
    pub reports_log_probabilities: bool,
    pub omits_cached_input: bool,
}
impl Capabilities {
    #[must_use]
    pub fn calling_tools(self) -> Self {}
    #[must_use]
    pub fn setting_thinking(self) -> Self {}
    #[must_use]
    pub fn at_temperature(self, temperature: f64) -> Self {}
    #[must_use]
    pub fn thinking_first(self) -> Self {}
    #[must_use]
    pub fn continuing_replies(self) -> Self {}
    #[must_use]
    pub fn reporting_log_probabilities(self) -> Self {}
    #[must_use]
    pub fn omitting_cached_input(self) -> Self {}
}
pub type ConstraintFuture<'a> = Pin<Box<dyn Future<Output = Constraint> + Send + 'a>>;
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Constraint {
    pub level: ConstraintLevel,
    pub unenforced: Vec<UnenforcedConstraint>,
}
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize
)]
#[non_exhaustive]
pub enum ConstraintLevel {
    Nothing,
    Json,
    Decoder,
    Provider,
}
impl Constraint {
    pub fn nothing() -> Self {}
    pub fn json() -> Self {}
    pub fn by_decoder(unenforced: impl Into<Vec<UnenforcedConstraint>>) -> Self {}
    pub fn by_provider(unenforced: impl Into<Vec<UnenforcedConstraint>>) -> Self {}
    pub fn is_to_schema(&self) -> bool {}
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {}
    pub fn known<'a>(self) -> ConstraintFuture<'a> {}
}

// agent/closure.rs
pub trait ClosureReply {
    fn replied(self) -> Result<Reply, AgentError>;
}

// agent/conversation.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Role {
    System,
    User,
    Assistant,
    Tool,
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {}
impl Turn {
    pub fn new(role: Role, text: impl Into<String>) -> Self {}
    pub fn of_calls(reply: &Reply) -> Self {}
    pub fn of_results(results: impl IntoIterator<Item = ToolResult>) -> Self {}
    pub fn of_parts(role: Role, parts: impl Into<Parts>) -> Self {}
    pub fn role(&self) -> Role {}
    pub fn text(&self) -> &str {}
    pub fn parts(&self) -> Cow<'_, [Part]> {}
    pub fn calls(&self) -> &[ToolCall] {}
    pub fn results(&self) -> &[ToolResult] {}
    pub fn said(&self) -> &str {}
    pub fn provider_data(&self) -> Option<&Value> {}
}
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {}
impl Conversation {
    pub fn new() -> Self {}
    #[must_use]
    pub fn with(self, role: Role, text: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_parts(self, role: Role, parts: impl Into<Parts>) -> Self {}
    #[must_use]
    pub fn with_turn(mut self, turn: Turn) -> Self {}
    pub fn turns(&self) -> &[Turn] {}
    pub fn to_text(&self) -> String {}
    pub fn text_only(&self, agent: &str) -> Result<String, AgentError> {}
    pub fn chars(&self) -> usize {}
}
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {}
impl Prompt {
    pub fn conversation(&self) -> &Conversation {}
}

// agent/cut_prompt.rs
pub fn check_whole_prompt(
    agent: &str,
    reply: &Reply,
    conversation: &Conversation,
) -> Result<(), AgentError> {}

// agent/delta.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delta<'a> {
    pub text: &'a str,
    pub call: Option<CallDelta<'a>>,
    pub is_first: bool,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallDelta<'a> {
    pub index: usize,
    pub name: &'a str,
}
pub struct DeltaSink<'a> {}
impl<'a> DeltaSink<'a> {
    pub fn new(receive: impl FnMut(Delta<'_>) + Send + 'a) -> Self {}
    #[must_use]
    pub fn watching(mut self, request: &'a Request) -> Self {}
    pub fn is_repeating(&self) -> bool {}
    pub fn send(&mut self, text: &str) {}
    pub fn send_arguments(&mut self, index: usize, name: &str, text: &str) {}
    pub async fn pause(&mut self) {}
    pub fn restart(&mut self) -> DeltaSink<'_> {}
}
#[derive(Clone)]
pub struct RepetitionWatch<'r> {}
impl<'r> RepetitionWatch<'r> {
    pub fn new(request: &'r Request) -> Self {}
    pub fn push(&mut self, bytes: &[u8]) -> bool {}
    pub fn is_repeating(&self) -> bool {}
}
pub fn respond_or_stream<'a, A: Agent + ?Sized>(
    agent: &'a A,
    request: &'a Request,
    sink: Option<DeltaSink<'a>>,
) -> ReplyFuture<'a> {}

// agent/error.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum AgentErrorKind {
    Transport,
    RateLimited,
    Timeout,
    Garbled,
    Refused,
    TooLong,
    Unavailable,
}
#[derive(Debug)]
pub struct AgentError {}
impl AgentError {
    pub fn new(kind: AgentErrorKind, message: impl Into<String>) -> Self {}
    pub fn transport(message: impl Into<String>) -> Self {}
    pub fn rate_limited(message: impl Into<String>) -> Self {}
    pub fn timeout(message: impl Into<String>) -> Self {}
    pub fn garbled(message: impl Into<String>) -> Self {}
    pub fn refused(message: impl Into<String>) -> Self {}
    pub fn too_long(message: impl Into<String>) -> Self {}
    pub fn unavailable(message: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {}
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {}
    #[must_use]
    pub fn with_request_id(mut self, id: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_usage(mut self, usage: TokenUsage) -> Self {}
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {}
    #[must_use]
    pub fn of_request(self) -> Self {}
    #[must_use]
    pub fn of_account(self) -> Self {}
    pub fn is_of_request(&self) -> bool {}
    pub fn is_of_account(&self) -> bool {}
    pub fn is_of_agent(&self) -> bool {}
    #[must_use]
    pub fn with_note(mut self, note: &str) -> Self {}
    pub fn to_transport_failure(&self, attempt: u32) -> TransportFailure {}
    pub fn kind(&self) -> AgentErrorKind {}
    pub fn message(&self) -> &str {}
    pub fn retry_after(&self) -> Option<Duration> {}
    pub fn status(&self) -> Option<u16> {}
    pub fn request_id(&self) -> Option<&str> {}
    pub fn usage(&self) -> Option<TokenUsage> {}
    pub fn is_transient(&self) -> bool {}
}

// agent/guard.rs
pub fn deny_real_agents() {}
pub fn allow_real_agents() {}
pub fn check(name: &str) -> Result<(), AgentError> {}

// agent/layers/cached.rs
pub type StoreError = Box<dyn Error + Send + Sync>;
pub trait ReplyStore: Send + Sync {
    fn get(&self, key: &str) -> Result<Option<Reply>, StoreError>;
    fn put(&self, key: &str, reply: &Reply) -> Result<(), StoreError>;
}
#[derive(Debug, Clone)]
pub struct Cached<A, S> {}
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheStats {
    pub hits: u64,
    pub misses: u64,
    pub failures: u64,
    pub last_failure: Option<String>,
}
impl<A: Agent, S: ReplyStore> Cached<A, S> {
    pub fn new(agent: A, store: S) -> Self {}
    pub fn stats(&self) -> CacheStats {}
}
#[derive(Clone)]
pub struct MemoryStore {}
impl MemoryStore {
    pub fn new(max_replies: usize) -> Self {}
    pub fn max_bytes(self, bytes: usize) -> Self {}
    pub fn len(&self) -> usize {}
    pub fn is_empty(&self) -> bool {}
}

// agent/layers/fallback.rs
#[derive(Clone)]
pub struct Fallback<A, B> {}
impl<A: Agent, B: Agent> Fallback<A, B> {
    pub fn new(first: A, second: B) -> Self {}
    pub fn when(
        mut self,
        falls: impl Fn(&AgentError) -> bool + Send + Sync + 'static,
    ) -> Self {}
    pub fn on_refusal(mut self, falls: bool) -> Self {}
}

// agent/layers/limits.rs
#[derive(Debug, Clone)]
pub struct Concurrent<A> {}
impl<A: Agent> Concurrent<A> {
    pub fn new(agent: A, limit: usize) -> Self {}
}
#[derive(Debug, Clone)]
pub struct TimeLimited<A> {}
impl<A: Agent> TimeLimited<A> {
    pub fn new(agent: A, limit: Duration) -> Self {}
}

// agent/layers/mod.rs
pub use self::{
    cached::{CacheStats, Cached, MemoryStore, ReplyStore, StoreError},
    fallback::Fallback, limits::{Concurrent, TimeLimited},
    rate_limited::{RateBuckets, RateLimited},
    retrying::Retrying,
};
pub trait AgentExt: Agent + Sized {
    fn retrying(self) -> Retrying<Self> {}
    fn rate_limited(self) -> RateLimited<Self> {}
    fn concurrent(self, limit: usize) -> Concurrent<Self> {}
    fn time_limited(self, limit: Duration) -> TimeLimited<Self> {}
    fn cached<S: ReplyStore>(self, store: S) -> Cached<Self, S> {}
    fn or<B: Agent>(self, other: B) -> Fallback<Self, B> {}
}

// agent/layers/rate_limited.rs
#[derive(Debug, Clone)]
pub struct RateLimited<A> {}
impl<A: Agent> RateLimited<A> {
    pub fn new(agent: A) -> Self {}
    pub fn requests_per_minute(mut self, requests: u32) -> Self {}
    pub fn tokens_per_minute(mut self, tokens: u32) -> Self {}
    pub fn burst(mut self, span: Duration) -> Self {}
}
#[derive(Debug)]
pub struct RateBuckets {}
impl RateBuckets {
    pub fn full(
        requests: Option<u32>,
        tokens: Option<u32>,
        burst: Duration,
        now: Instant,
    ) -> Self {}
    pub fn take(&mut self, tokens: f64, now: Instant) -> Option<Duration> {}
}

// agent/layers/retrying.rs
#[derive(Debug, Clone)]
pub struct Retrying<A> {}
impl<A: Agent> Retrying<A> {
    pub fn new(agent: A) -> Self {}
    pub fn times(mut self, retries: usize) -> Self {}
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {}
}

// agent/mod.rs
pub mod guard;
pub mod layers;
pub mod provider;
pub use self::{
    batch::{
        BatchAgent, BatchFuture, BatchLimits, BatchSearch, BatchSink, BatchStatus,
        LostBatch, WrittenRequest,
    },
    capabilities::{Capabilities, Constraint, ConstraintFuture, ConstraintLevel},
    conversation::{Conversation, Prompt, Role, Turn},
    delta::{CallDelta, Delta, DeltaSink, RepetitionWatch, respond_or_stream},
    error::{AgentError, AgentErrorKind},
    layers::{
        AgentExt, CacheStats, Cached, Concurrent, Fallback, MemoryStore, RateLimited,
        ReplyStore, Retrying, StoreError, TimeLimited,
    },
    part::{Part, Parts},
    reply::{FinishReason, Reply, TokenProbability},
    request::{Request, ThinkingLevel},
    tool::{Tool, ToolCall, ToolResult},
};
pub type ReplyFuture<'a> = Pin<
    Box<dyn Future<Output = Result<Reply, AgentError>> + Send + 'a>,
>;
pub trait Agent: Send + Sync {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a>;
    fn stream<'a>(
        &'a self,
        request: &'a Request,
        sink: DeltaSink<'a>,
    ) -> ReplyFuture<'a> {}
    fn name(&self) -> Cow<'_, str> {}
    fn capabilities(&self) -> Capabilities {}
    fn constraint<'a>(&'a self, request: &'a Request) -> ConstraintFuture<'a> {}
}

// agent/part.rs
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part(PartContent);
impl Part {
    pub fn text(text: impl Into<String>) -> Self {}
    pub fn image(bytes: impl Into<Vec<u8>>, media_type: impl Into<String>) -> Self {}
    pub fn document(bytes: impl Into<Vec<u8>>, media_type: impl Into<String>) -> Self {}
    pub fn url(url: impl Into<String>, media_type: impl Into<String>) -> Self {}
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {}
    pub fn as_text(&self) -> Option<&str> {}
    pub fn media_type(&self) -> Option<&str> {}
    pub fn bytes(&self) -> Option<&[u8]> {}
    pub fn as_url(&self) -> Option<&str> {}
    pub fn base64(&self) -> Option<String> {}
    pub fn name(&self) -> Option<&str> {}
}
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts(Vec<Part>);
impl Parts {
    pub fn as_slice(&self) -> &[Part] {}
}

// agent/provider/detail.rs
pub fn readable_body(body: &str) -> Cow<'_, str> {}

// agent/provider/envelope.rs
pub fn open_envelope(reply: Reply) -> Reply {}
pub fn opening_envelope(sink: DeltaSink<'_>) -> DeltaSink<'_> {}

// agent/provider/failure.rs
#[derive(Debug)]
pub struct ProviderFailure {}
impl ProviderFailure {
    pub fn new(kind: AgentErrorKind, message: impl AsRef<str>) -> Self {}
    pub fn garbled(message: impl AsRef<str>) -> Self {}
    pub fn refused(message: impl AsRef<str>) -> Self {}
    pub fn refusal(words: impl AsRef<str>) -> Self {}
    pub fn of_status<'h>(
        status: u16,
        reason: &str,
        body: &str,
        header: impl Fn(&str) -> Option<&'h str>,
    ) -> Self {}
    #[must_use]
    pub fn with_request_id(self, id: Option<&str>) -> Self {}
    #[must_use]
    pub fn with_usage(self, usage: Option<TokenUsage>) -> Self {}
    #[must_use]
    pub fn after_text(self) -> Self {}
    pub fn in_success(body: &str) -> Self {}
    pub fn of_error(error: &Value) -> Self {}
    pub fn find(body: &Value) -> Option<Self> {}
    pub fn kind(&self) -> AgentErrorKind {}
    pub fn message(&self) -> &str {}
    pub fn status(&self) -> Option<u16> {}
    pub fn parameter(&self) -> Option<&str> {}
    pub fn is_refusal(&self) -> bool {}
    pub fn is_about_the_request(&self) -> bool {}
    pub fn may_be_about_the_schema(&self) -> bool {}
    pub fn speaks_of_the_schema(&self) -> bool {}
    pub fn settle(self, keys: &Keys) -> Result<Reply, AgentError> {}
}
pub fn has_lost_bytes(reply: &Reply, conversation: &Conversation) -> bool {}

// agent/provider/mod.rs
pub use self::{
    detail::readable_body, envelope::{open_envelope, opening_envelope},
    failure::{ProviderFailure, has_lost_bytes},
    response::{add_origin, checked_name, is_filter, refusal_in, request_id},
    retry_after::retry_after,
};
pub use crate::{agent::cut_prompt::check_whole_prompt, vocabulary::redaction::Keys};

// agent/provider/response.rs
pub fn add_origin(origin: &mut ReplyOrigin, body: &Value) {}
pub fn request_id<'h>(header: impl Fn(&str) -> Option<&'h str>) -> Option<String> {}
pub fn checked_name(text: &str) -> Option<String> {}
pub fn is_filter(reason: &str) -> bool {}
pub fn refusal_in(body: &Value) -> Option<String> {}

// agent/provider/retry_after.rs
pub fn retry_after<'h>(header: impl Fn(&str) -> Option<&'h str>) -> Option<Duration> {}

// agent/reply.rs
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {}
impl Reply {
    pub fn new(text: impl Into<String>) -> Self {}
    pub fn from_utf8(bytes: Vec<u8>) -> Result<Self, AgentError> {}
    #[must_use]
    pub fn finished(mut self, reason: FinishReason) -> Self {}
    #[must_use]
    pub fn with_refusal(mut self, words: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_usage(mut self, usage: TokenUsage) -> Self {}
    #[must_use]
    pub fn with_origin(mut self, origin: ReplyOrigin) -> Self {}
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_token_probabilities(
        mut self,
        tokens: impl IntoIterator<Item = TokenProbability>,
    ) -> Self {}
    #[must_use]
    pub fn with_reported_cost(mut self, dollars: f64) -> Self {}
    #[must_use]
    pub fn with_answer_in_thoughts(mut self) -> Self {}
    pub fn token_probabilities(&self) -> &[TokenProbability] {}
    pub fn reported_cost(&self) -> Option<f64> {}
    #[must_use]
    pub fn with_calls(mut self, calls: impl IntoIterator<Item = ToolCall>) -> Self {}
    #[must_use]
    pub fn with_provider_data(mut self, form: Value) -> Self {}
    pub fn calls(&self) -> &[ToolCall] {}
    pub fn provider_data(&self) -> Option<&Value> {}
    pub fn notes(&self) -> &[String] {}
    pub fn text(&self) -> &str {}
    pub fn finish_reason(&self) -> &FinishReason {}
    pub fn refusal(&self) -> Option<&str> {}
    pub fn is_refusal(&self) -> bool {}
    pub fn tokens_by_model(
        &self,
        asked: &str,
        chars_read: impl FnOnce() -> usize,
    ) -> Vec<ModelUsage> {}
    pub fn origin(&self) -> Option<&ReplyOrigin> {}
    pub fn usage(&self) -> Option<TokenUsage> {}
}
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum FinishReason {
    Unknown,
    Stop,
    Length,
    Repetition,
    ContentFilter,
    Interrupted(String),
    Other(String),
}
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TokenProbability {
    pub range: Range<usize>,
    pub log_probability: f64,
    pub constrained: Option<f64>,
    pub is_forced: bool,
}
impl TokenProbability {
    pub fn new(range: Range<usize>, log_probability: f64) -> Self {}
    pub fn forced(range: Range<usize>) -> Self {}
    #[must_use]
    pub fn with_constrained(self, log_probability: f64) -> Self {}
}

// agent/request.rs
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    pub conversation: Conversation,
    pub schema: Option<Arc<Value>>,
    pub tools: Option<Arc<[Tool]>>,
    pub max_output_tokens: Option<u32>,
    pub temperature: Option<f64>,
    pub thinking: Option<ThinkingLevel>,
    pub ends_repetition: bool,
    pub log_probabilities: bool,
    pub sample: u32,
    pub thinks_first: bool,
    pub prefill: Option<Arc<str>>,
}
impl Request {
    pub fn new(conversation: Conversation) -> Self {}
    #[must_use]
    pub fn with_schema(mut self, schema: Arc<Value>) -> Self {}
    #[must_use]
    pub fn with_tools(mut self, tools: impl Into<Arc<[Tool]>>) -> Self {}
    pub fn chars(&self) -> usize {}
}
impl Request {
    pub fn native_schema(
        &self,
        dialect: Dialect,
    ) -> Option<Result<Projection, Inexpressible>> {}
}
impl Request {
    pub fn describing_schema(&self) -> Cow<'_, Self> {}
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ThinkingLevel {
    Off,
    Minimal,
    Low,
    Medium,
    High,
    Max,
    Budget(u32),
}

// agent/tool.rs
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tool {
    pub name: String,
    pub title: String,
    pub description: String,
    pub input_schema: Value,
    pub output_schema: Value,
    pub is_read_only: bool,
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    pub arguments: Value,
}
impl ToolCall {
    pub fn new(name: impl Into<String>, arguments: impl Into<Value>) -> Self {}
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {}
    pub fn answered(&self, text: impl Into<String>, is_error: bool) -> ToolResult {}
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResult {
    pub id: String,
    pub name: String,
    pub text: String,
    pub structured: Value,
    pub is_error: bool,
}

// attempt.rs
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AttemptRecord {
    pub number: u32,
    pub chunk: Option<usize>,
    pub agent: String,
    pub origin: ReplyOrigin,
    pub raw_output: String,
    pub finish_reason: FinishReason,
    pub refusal: Option<String>,
    pub verdict: AttemptStatus,
    pub patch: Option<Value>,
    pub continuation: Option<Continuation>,
    pub violations: Vec<Violation>,
    pub changes: Vec<Change>,
    pub usage: TokenUsage,
    pub notes: Vec<String>,
    pub token_probabilities: Vec<TokenProbability>,
    pub elapsed: Duration,
    pub is_stalled: bool,
    pub regressions: Vec<Regression>,
    pub has_sensitive_values: bool,
}
impl AttemptRecord {
    pub fn redact_reply(&mut self) {}
    pub fn submitted(&self) -> Option<&Value> {}
    pub fn holding(&self) -> Vec<Path> {}
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Continuation {
    pub path: Path,
    pub from: usize,
    pub continues_text: bool,
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Regression {
    pub path: Path,
    pub before: String,
}

// contract/documents.rs
impl Contract {
    #[must_use]
    pub fn document(&self, document: &Document) -> Self {}
    pub fn without_spans<'v>(&self, value: &'v Value) -> Cow<'v, Value> {}
}

// contract/mod.rs
#[derive(Clone)]
pub struct Contract {}
impl Contract {
    pub fn from_schema(schema: Value) -> Result<Self, SchemaError> {}
    pub fn from_types(text: &str) -> Result<Self, TypesError> {}
    #[must_use]
    pub fn with_rule<E: IntoRejections>(
        self,
        rule: impl Fn(&Value) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {}
    pub fn schema(&self) -> &Value {}
    pub fn has_sensitive_values(&self) -> bool {}
    pub fn redact(&self, value: &mut Value) {}
    pub fn example(&self) -> Option<&Value> {}
    pub fn validate(&self, value: &Value) -> Vec<Violation> {}
    pub fn read(&self, reply: &str) -> Reading {}
    pub fn reader(&self) -> Reader<'_> {}
}
impl Contract {
    pub fn fingerprint(&self) -> String {}
}

// contract/narrow.rs
impl Contract {
    pub fn one_of<V: Serialize>(
        &self,
        place: impl Into<PathPattern>,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, NarrowingError> {}
    pub fn describe(
        &self,
        place: impl Into<PathPattern>,
        text: impl AsRef<str>,
    ) -> Result<Self, NarrowingError> {}
}

// derive_support/asked_type.rs
#[derive(Debug)]
pub struct AskedType<T: ?Sized>(PhantomData<*const T>);
impl<T: ?Sized> AskedType<T> {
    #[must_use]
    pub const fn new() -> Self {}
}
impl<T: DescribedType> AskedType<T> {
    pub fn part(
        self,
        part: Option<ValuePart<'_>>,
        valid_parts: &mut ValidParts<'_>,
        checks: &dyn Fn(&T, &LazyPath<'_>, &mut RuleJudge<'_>),
    ) {}
}
impl<T: DerivedType> AskedType<T> {
    pub const OPTIONAL: bool = T::__EXTRACT_OPTIONAL;
    pub const RULED: bool = T::__EXTRACT_RULED;
    #[must_use]
    pub fn source(self) -> SchemaSource {}
    pub fn judge<'v>(
        self,
        value: &'v T,
        place: &LazyPath<'_>,
        judge: &mut RuleJudge<'v>,
    ) {}
    pub fn valid_parts<Use>(
        self,
        part: &ValuePart<'_>,
        valid_parts: &mut ValidParts<'_>,
    ) {}
    pub fn among(self, part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {}
    pub fn key_schema(self, generator: &mut SchemaGenerator) -> Option<Schema> {}
    pub fn key(self, value: &T) -> std::borrow::Cow<'_, str> {}
}
pub trait NotAsked<T>: Sized {
    fn part(
        self,
        _: Option<ValuePart<'_>>,
        _: &mut ValidParts<'_>,
        _: &dyn Fn(&T, &LazyPath<'_>, &mut RuleJudge<'_>),
    ) {}
    fn source(self) -> SchemaSource {}
    fn judge<'v>(self, _: &'v T, _: &LazyPath<'_>, _: &mut RuleJudge<'v>) {}
    fn valid_parts<Use>(self, _: &ValuePart<'_>, _: &mut ValidParts<'_>) {}
    fn among(self, _: &ValuePart<'_>, _: &mut ValidParts<'_>) {}
    fn key_schema(self, _: &mut SchemaGenerator) -> Option<Schema> {}
    fn key(self, _: &T) -> std::borrow::Cow<'_, str> {}
}
pub trait NotOptional {
    const OPTIONAL: bool = false;
    const RULED: bool = false;
}
pub const fn source_without_rules(ruled: bool) {}
#[derive(Debug, Clone, Copy)]
pub struct CanBeAsked;
#[derive(Debug, Clone, Copy)]
pub struct ReportedElsewhere;
#[derive(Debug, Clone, Copy)]
pub struct CannotBeAsked;
pub trait AskedAnswer: Sized {
    type Inside<A: AskedAnswer>: AskedAnswer;
    type Around: AskedAnswer;
    type After<A: AskedAnswer>: AskedAnswer;
    fn inside<A: AskedAnswer>(self, inside: A) -> Self::Inside<A>;
    fn after<A: AskedAnswer>(self, inside: A) -> Self::After<A>;
    fn around(self) -> Self::Around;
}
pub trait IsDescribed {
    fn answer(&self) -> CanBeAsked;
}
pub trait IsDerived {
    fn answer(&self) -> ReportedElsewhere;
}
pub trait IsSized {
    fn answer(&self) -> CannotBeAsked;
}
pub trait IsUnsized {
    fn answer(self) -> CanBeAsked;
}
#[derive(Debug)]
pub struct EnabledFeature;
impl EnabledFeature {
    pub fn weigh<A: AskedAnswer>(inside: A) -> A {}
}
#[derive(Debug)]
pub struct DisabledFeature;
impl DisabledFeature {
    pub fn weigh<A: AskedAnswer>(_: A) -> CanBeAsked {}
}
#[cfg(feature = "indexmap2")]
pub type FeatureIndexmap2 = EnabledFeature;
#[cfg(not(feature = "indexmap2"))]
pub type FeatureIndexmap2 = DisabledFeature;
#[cfg(feature = "rc")]
pub type FeatureRc = EnabledFeature;
#[cfg(not(feature = "rc"))]
pub type FeatureRc = DisabledFeature;
pub trait AcceptedAsKeys<T>: Sized {
    fn accept_as_keys(self) {}
}
// accepted!: pub trait $ name < T : ? Sized >: Sized

// derive_support/built_path.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldPosition {
    Key(&'static str),
    Index(usize),
    Here,
}
#[derive(Debug)]
pub struct BuiltPath(Path);
impl BuiltPath {
    #[must_use]
    pub fn root() -> Self {}
    #[must_use]
    pub fn field<T: DescribedType>(
        self,
        _of: impl FnOnce() -> PhantomData<T>,
        _has: impl FnOnce(),
        name: &'static str,
    ) -> Self {}
    #[must_use]
    pub fn element(self, position: impl PathPosition, _has: impl FnOnce()) -> Self {}
    #[must_use]
    pub fn into_path(self) -> Path {}
}
pub trait PathPosition {
    fn after(&self, path: Path) -> Path;
}
#[derive(Debug)]
pub struct TypePath<T> {}
impl<T> TypePath<T> {
    #[must_use]
    pub fn root() -> Self {}
    #[must_use]
    pub fn field<F: DescribedType>(
        self,
        _of: impl FnOnce(&T) -> Option<PhantomData<F>>,
        _has: impl FnOnce(&T) -> Option<()>,
        name: &'static str,
    ) -> Self {}
    #[must_use]
    pub fn each(self, _has: impl FnOnce(&T) -> Option<()>) -> Self {}
    #[must_use]
    pub fn finish<V>(
        self,
        _holds: impl FnOnce(&T) -> Option<PhantomData<V>>,
    ) -> TypedPath<T, V> {}
}
pub fn type_of<V>(_: &V) -> PhantomData<V> {}
pub trait HasElements {
    type Element;
}
pub fn element<L: HasElements<Element = E> + ?Sized, E>(_list: &L) -> Option<&E> {}
pub fn inside<T>(value: &Option<T>) -> Option<&T> {}

// derive_support/by_schemars.rs
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize
)]
pub struct BySchemars<T>(pub T);

// derive_support/judging.rs
pub trait WithContext<C = NoContext>: DescribedType {}
#[derive(Debug)]
pub struct ContextCheck<T>(PhantomData<fn() -> T>);
impl<T> ContextCheck<T> {
    #[must_use]
    pub const fn new() -> Self {}
}
impl<T: DescribedType> ContextCheck<T> {
    pub fn within<C: ProvidesContext<T::__ExtractContext>>(self) {}
}
pub trait FieldContextChecks {
    fn __extract_context_checks();
}
pub trait NoContextCheck: Sized {
    fn within<C>(self) {}
}

// derive_support/mod.rs
pub use self::{
    asked_type::{
        Accepted, AcceptedArray, AcceptedAsKeys, AcceptedWithChrono04,
        AcceptedWithChrono04OrTime03, AcceptedWithIndexmap2, AcceptedWithJiff02,
        AcceptedWithJiff02OrTime03, AcceptedWithRc, AcceptedWithRustDecimal1,
        AcceptedWithSemver1, AcceptedWithTime03, AcceptedWithUrl2, AcceptedWithUuid1,
        AskedAnswer, AskedType, CanBeAsked, CannotBeAsked, DisabledFeature,
        EnabledFeature, FeatureIndexmap2, FeatureRc, IsDerived, IsDescribed, IsSized,
        IsUnsized, NotAsked, NotOptional, ReportedElsewhere, source_without_rules,
    },
    built_path::{BuiltPath, FieldPosition, TypePath, element, inside, type_of},
    by_schemars::BySchemars,
    judging::{ContextCheck, FieldContextChecks, NoContextCheck, WithContext},
    partial_types::{
        CowGrowth, ElementsGrowth, EntriesGrowth, FieldsGrowth, GrowthOf, HasPartial,
        JsonGrowth, OptionGrowth, PointerGrowth, Progress, StringGrowth, TupleGrowth,
        WhileWriting, WholeGrowth, WrittenPart, read_value,
    },
};
pub trait DerivedType: Sized + 'static {
    const __EXTRACT_IS_DESERIALIZABLE: Option<SerdeRefusal> = None;
    type __ExtractContext;
    type __ExtractGrowth: GrowthOf<Self>;
    fn __extract_schema_name() -> Cow<'static, str>;
    fn __extract_schema_id() -> Cow<'static, str> {}
    fn __extract_inline_schema() -> bool {}
    fn __extract_json_schema(generator: &mut SchemaGenerator) -> Schema;
    fn __extract_flat_schema(generator: &mut SchemaGenerator) -> Schema {}
    fn __extract_key_schema(generator: &mut SchemaGenerator) -> Option<Schema> {}
    const __EXTRACT_OPTIONAL: bool = false;
    const __EXTRACT_RULED: bool = false;
    fn __extract_type(&self) -> PhantomData<Self> {}
    const __EXTRACT_STEPS: &'static [(&'static str, FieldPosition)] = &[];
    const __EXTRACT_SOURCE: SchemaSource = SchemaSource::of::<Self>();
    fn __extract_judge<'v>(&'v self, _place: &LazyPath<'_>, _judge: &mut RuleJudge<'v>) {}
    fn __extract_valid_parts<Use>(
        _part: &ValuePart<'_>,
        _valid_parts: &mut ValidParts<'_>,
    ) {}
    fn __extract_part(
        part: Option<ValuePart<'_>>,
        valid_parts: &mut ValidParts<'_>,
        checks: &dyn Fn(&Self, &LazyPath<'_>, &mut RuleJudge<'_>),
    )
    where
        Self: DeserializeOwned,
    {}
    fn __extract_among(part: &ValuePart<'_>, valid_parts: &mut ValidParts<'_>) {}
    const __EXTRACT_IS_RECORD: bool = false;
    fn __extract_key(&self) -> Cow<'_, str> {}
}
impl SchemaSource {
    #[must_use]
    pub const fn of<T: DerivedType>() -> Self {}
}
#[must_use]
pub fn name(base: &str, arguments: &[Cow<'_, str>]) -> Cow<'static, str> {}
#[must_use]
pub fn constant(value: &dyn Display) -> Cow<'static, str> {}
#[must_use]
pub fn doc(text: &str) -> String {}
pub trait AnyThread: Send {}
pub trait DescribedType: DerivedType + DeserializeOwned {}
pub trait DeserializableType {
    fn refusal(value: &Value) -> Option<String>;
}
pub const fn is_deserializable<T: DeserializableType>() -> Option<SerdeRefusal> {}

// derive_support/partial_types.rs
pub trait GrowthOf<T> {
    type Writing;
    fn writing(part: WrittenPart<'_>) -> Self::Writing;
    fn writing_among(_part: WrittenPart<'_>) -> Self::Writing {}
    fn known(value: T) -> Option<Self::Writing>;
}
pub type WhileWriting<T> = <<T as DerivedType>::__ExtractGrowth as GrowthOf<T>>::Writing;
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress<T, W = WhileWriting<T>> {
    Pending,
    Writing(W),
    Done(T),
}
impl<T, W> Progress<T, W> {
    pub fn state(&self) -> PartState {}
    pub fn done(&self) -> Option<&T> {}
    pub fn into_done(self) -> Option<T> {}
    pub fn writing(&self) -> Option<&W> {}
}
impl<T: DerivedType> Progress<T> {
    pub fn known(self) -> Option<WhileWriting<T>> {}
}
pub fn read_value<T: DeserializeOwned>(value: Value) -> serde_json::Result<T> {}
#[derive(Debug, Clone, Copy)]
pub struct WrittenPart<'s>(Option<Cursor<'s>>);
impl<'s> WrittenPart<'s> {
    pub const PENDING: Self = Self(None);
    #[must_use]
    pub fn member(self, names: &[&str]) -> Self {}
    #[must_use]
    pub fn element(self, index: usize) -> Self {}
    #[must_use]
    pub fn progress<T: DescribedType>(self) -> Progress<T> {}
    #[must_use]
    pub fn progress_by<T>(
        self,
        read: impl FnOnce(Value) -> serde_json::Result<T>,
    ) -> Progress<T, ()> {}
    #[must_use]
    pub fn flat<T: DescribedType>(self) -> Progress<T> {}
    #[must_use]
    pub fn flat_by<T>(self) -> Progress<T, ()> {}
}
pub trait HasPartial: Sized {
    type Partial: From<Self> + Default;
    fn __extract_fields(part: WrittenPart<'_>) -> Self::Partial;
}
#[derive(Debug)]
pub enum FieldsGrowth {}
#[derive(Debug)]
pub enum WholeGrowth {}
#[derive(Debug)]
pub enum StringGrowth {}
#[derive(Debug)]
pub enum JsonGrowth {}
#[derive(Debug)]
pub struct ElementsGrowth<T>(PhantomData<T>);
#[derive(Debug)]
pub struct EntriesGrowth<K, V>(PhantomData<(K, V)>);
#[derive(Debug)]
pub struct OptionGrowth<T>(PhantomData<T>);
#[derive(Debug)]
pub struct PointerGrowth<T>(PhantomData<T>);
#[derive(Debug)]
pub struct CowGrowth<T>(PhantomData<T>);
#[derive(Debug)]
pub enum TupleGrowth {}

// document/chunk/mod.rs
#[derive(Clone)]
pub struct Chunks {}
impl Chunks {
    pub fn chars(most: usize) -> Self {}
    pub fn tokens(
        most: usize,
        counter: impl Fn(&str) -> usize + Send + Sync + 'static,
    ) -> Self {}
    pub fn from_ranges(ranges: impl IntoIterator<Item = Range<usize>>) -> Self {}
    pub fn from_indices<'t>(chunks: impl IntoIterator<Item = (usize, &'t str)>) -> Self {}
    #[must_use]
    pub fn context(mut self, chars: usize) -> Self {}
    #[must_use]
    pub fn by_section(mut self) -> Self {}
}
impl Document {
    pub fn chunks(&self, chunks: &Chunks) -> Result<Vec<Chunk>, ChunkError> {}
}
#[derive(Clone)]
pub struct Chunk {}
impl Chunk {
    pub fn index(&self) -> usize {}
    pub fn text(&self) -> &str {}
    pub fn range(&self) -> Range<usize> {}
    pub fn span(&self) -> Span {}
    pub fn context(&self) -> &str {}
    pub fn context_range(&self) -> Range<usize> {}
    pub fn document(&self) -> &Document {}
}
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChunkError {
    NoRoom,
    NotInText { range: Range<usize>, bytes: usize },
    OutOfOrder { range: Range<usize> },
    Uncovered { range: Range<usize> },
}

// document/grounded.rs
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Grounded<T> {
    pub value: T,
    pub quote: Quote,
}
impl<T> Grounded<T> {
    pub fn new(value: T, quote: impl Into<String>) -> Self {}
    pub fn span(&self) -> Option<Span> {}
}
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Quote {}
impl Quote {
    pub fn new(words: impl Into<String>) -> Self {}
    pub fn words(&self) -> &str {}
    pub fn span(&self) -> Option<Span> {}
}

// document/mod.rs
pub use self::{
    chunk::{Chunk, ChunkError, Chunks},
    grounded::{Grounded, Quote},
    normalisation::{Normalisation, Normalisations},
    quote::{
        ExpectedQuote, NearestPassage, QuoteError, QuoteLocation, QuoteMatch,
        QuoteMatches,
    },
    source_map::SourceMap, span::{LineColumn, Span},
    text::{Document, DocumentError, DocumentPart, Section},
    value::{LocatedLeaf, LocatedValue, ValuePresence, contains_name, contains_value},
};

// document/normalisation.rs
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize
)]
#[non_exhaustive]
pub enum Normalisation {
    WhiteSpace,
    QuotationMarks,
    Dashes,
    Ligatures,
    Invisible,
    Hyphenation,
    Unicode,
    Case,
}
impl Normalisation {
    pub const ALL: [Self; 8] = [
        Self::WhiteSpace,
        Self::QuotationMarks,
        Self::Dashes,
        Self::Ligatures,
        Self::Invisible,
        Self::Hyphenation,
        Self::Unicode,
        Self::Case,
    ];
}
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Normalisations(u8);
impl Normalisations {
    pub fn is_empty(self) -> bool {}
    pub fn contains(self, one: Normalisation) -> bool {}
    pub fn iter(self) -> impl Iterator<Item = Normalisation> {}
}

// document/quote/mod.rs
pub use self::place::{ExpectedQuote, QuoteLocation};
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuoteMatch {}
impl QuoteMatch {
    pub fn span(&self) -> Span {}
    pub fn is_exact(&self) -> bool {}
    pub fn normalisations(&self) -> Normalisations {}
    pub fn is_whole_words(&self) -> bool {}
}
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuoteMatches {}
impl QuoteMatches {
    pub fn is_complete(&self) -> bool {}
}
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestPassage {}
impl NearestPassage {
    pub fn span(&self) -> Span {}
    pub fn similarity(&self) -> f64 {}
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum QuoteError {
    Empty,
    NoWords,
    NotInText,
}
impl Document {
    pub fn find(&self, quote: &str) -> Result<QuoteMatches, QuoteError> {}
}
impl Document {
    pub fn nearest(&self, quote: &str) -> Option<NearestPassage> {}
}

// document/quote/place.rs
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExpectedQuote<'q> {}
impl<'q> ExpectedQuote<'q> {
    pub fn new(text: &'q str) -> Self {}
    #[must_use]
    pub fn within(mut self, bytes: Range<usize>) -> Self {}
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuoteLocation {}
impl QuoteLocation {
    pub fn span(&self) -> Span {}
    pub fn found(&self) -> &QuoteMatch {}
    pub fn alternatives(&self) -> usize {}
    pub fn is_ambiguous(&self) -> bool {}
}
impl Document {
    pub fn place<'q, Q: Into<ExpectedQuote<'q>>>(
        &self,
        quotes: impl IntoIterator<Item = Q>,
    ) -> Vec<Result<QuoteLocation, QuoteError>> {}
}

// document/source_map.rs
#[derive(Debug, Clone, Default)]
pub struct SourceMap {}
impl SourceMap {
    pub fn push_bytewise(&mut self, source: Range<usize>) {}
    pub fn push_whole(&mut self, len: usize, source: Range<usize>) {}
    pub fn source_end(&self) -> usize {}
}

// document/span.rs
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize
)]
pub struct Span {}
impl Span {
    pub fn start(&self) -> usize {}
    pub fn end(&self) -> usize {}
    pub fn range(&self) -> Range<usize> {}
    pub fn chars(&self) -> Range<usize> {}
    pub fn line_column(&self) -> LineColumn {}
    pub fn page(&self) -> Option<usize> {}
    pub fn len(&self) -> usize {}
    pub fn is_empty(&self) -> bool {}
    pub fn contains(&self, other: &Self) -> bool {}
    pub fn overlaps(&self, other: &Self) -> bool {}
}
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize
)]
#[non_exhaustive]
pub struct LineColumn {
    pub line: usize,
    pub column: usize,
}

// document/text.rs
#[derive(Clone)]
pub struct Document {}
impl Document {
    pub fn from_text(text: impl Into<String>) -> Self {}
    pub fn from_parts(parts: impl IntoIterator<Item = DocumentPart>) -> Self {}
    pub fn with_headings(
        self,
        headings: impl IntoIterator<Item = Range<usize>>,
    ) -> Result<Self, DocumentError> {}
    pub fn with_source(
        self,
        source: impl Into<String>,
        map: SourceMap,
    ) -> Result<Self, DocumentError> {}
    pub fn text(&self) -> &str {}
    pub fn sections(&self) -> &[Section] {}
    pub fn headings(&self) -> &[Range<usize>] {}
    pub fn section_at(&self, byte: usize) -> Option<&Section> {}
    pub fn span(&self, range: Range<usize>) -> Option<Span> {}
    pub fn source(&self) -> Option<&str> {}
    pub fn source_range(&self, range: Range<usize>) -> Option<Range<usize>> {}
}
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentPart {}
impl DocumentPart {
    pub fn new(text: impl Into<String>) -> Self {}
    pub fn page(number: usize, text: impl Into<String>) -> Self {}
    pub fn section(name: impl Into<String>, text: impl Into<String>) -> Self {}
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {}
    #[must_use]
    pub fn on_page(mut self, number: usize) -> Self {}
}
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {}
impl Section {
    pub fn name(&self) -> Option<&str> {}
    pub fn page(&self) -> Option<usize> {}
    pub fn range(&self) -> Range<usize> {}
}
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    Heading { range: Range<usize> },
    SourceMap,
}

// document/value/mod.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValuePresence {
    Yes,
    No,
    Undecided,
}
pub fn contains_value(quote: &str, value: &Value) -> ValuePresence {}
impl Document {
    pub fn shows(&self, quote: &str, value: &Value) -> ValuePresence {}
}
pub fn contains_name<N: AsRef<str>>(
    quote: &str,
    name: &str,
    names: &[N],
) -> ValuePresence {}
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedLeaf {}
impl LocatedLeaf {
    pub fn path(&self) -> &Path {}
    pub fn span(&self) -> Span {}
    pub fn alternatives(&self) -> usize {}
}
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocatedValue {}
impl LocatedValue {
    pub fn found(&self) -> &[LocatedLeaf] {}
    pub fn without_place(&self) -> &[Path] {}
}
impl Document {
    pub fn locate(&self, value: &Value) -> LocatedValue {}
}

// error.rs
pub type ExtractionResult<T> = Result<(T, ExtractionMetrics), ExtractionError>;
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ExtractionError {
    #[non_exhaustive]
    MaxRetriesExceeded {
        attempts: u32,
        max_attempts: u32,
        history: Vec<AttemptRecord>,
        raw_output: String,
        metrics: Box<ExtractionMetrics>,
    },
    #[non_exhaustive]
    Fatal { record: Box<ExtractionRecord> },
    #[non_exhaustive]
    Truncated { record: Box<ExtractionRecord> },
    #[non_exhaustive]
    Refused { message: String, record: Box<ExtractionRecord> },
    #[non_exhaustive]
    Stalled { record: Box<ExtractionRecord> },
    #[non_exhaustive]
    TokenBudgetExceeded { budget: u64, record: Box<ExtractionRecord> },
    #[non_exhaustive]
    DeadlineExceeded { deadline: Duration, record: Box<ExtractionRecord> },
    #[non_exhaustive]
    Agent { source: Box<AgentError>, record: Box<ExtractionRecord> },
    #[non_exhaustive]
    Panicked { message: String, record: Box<ExtractionRecord> },
    #[non_exhaustive]
    Incomplete {
        source: Box<ExtractionError>,
        coverage: Box<Coverage>,
        record: Box<ExtractionRecord>,
    },
    Schema(SchemaError),
    Narrowing(NarrowingError),
    Settings(SettingsError),
}
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Coverage {
    pub chunk: usize,
    pub covered: Vec<Range<usize>>,
    pub uncovered: Vec<Range<usize>>,
    pub found: Value,
}
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ExtractionRecord {
    pub attempts: u32,
    pub max_attempts: u32,
    pub history: Vec<AttemptRecord>,
    pub metrics: ExtractionMetrics,
}
impl ExtractionError {
    pub fn name(&self) -> &'static str {}
    pub fn attempts(&self) -> u32 {}
    pub fn max_attempts(&self) -> u32 {}
    pub fn unasked(&self) -> Option<&AgentError> {}
    pub fn agent_error(&self) -> Option<&AgentError> {}
    pub fn history(&self) -> &[AttemptRecord] {}
    pub fn metrics(&self) -> &ExtractionMetrics {}
    pub fn raw_output(&self) -> Option<&str> {}
    pub fn violations(&self) -> &[Violation] {}
}
impl ExtractionError {
    pub fn best(&self) -> Option<&AttemptRecord> {}
}
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    NoAttempts,
    OutOfRange { setting: &'static str, given: String, allowed: &'static str },
    NothingAsked { last: Option<Role> },
    Shot { number: usize, message: String, violations: Vec<Violation> },
    NoDocument,
    ChunksWithoutDocument,
    Chunks(ChunkError),
    NoItemsToKeep,
    Confidence { message: String },
    Calibration { schema: String, fitted: String },
    Items { place: String, message: String },
}

// extractable.rs
pub trait Extractable: DescribedType {
    fn schema() -> Value {}
    fn example() -> Value {}
    fn extract<A: Agent + ?Sized>(
        agent: &A,
        prompt: impl Into<Prompt>,
    ) -> Extraction<'_, Self>
    where
        Self: AnyThread,
    {}
    fn from_reply(reply: impl Into<Reply>) -> ExtractionResult<Self>
    where
        Self: WithContext,
    {}
    fn from_reply_within<C: Sync + 'static>(
        reply: impl Into<Reply>,
        context: &C,
    ) -> ExtractionResult<Self>
    where
        Self: WithContext<C>,
    {}
}
impl Contract {
    pub fn of<T: Extractable>() -> Result<Self, SchemaError> {}
}
impl Extractor {
    pub fn extract<'a, T: Extractable + Send>(
        &self,
        agent: &'a (impl Agent + ?Sized),
        prompt: impl Into<Prompt>,
    ) -> Extraction<'a, T> {}
}
impl<T: Extractable + Send> Toolkit<'_, T> {
    pub fn new() -> Result<Self, SchemaError> {}
}

// extraction/chunks/mod.rs
impl<T, C> Extraction<'_, T, C> {
    pub fn chunks(self, chunks: Chunks) -> Self {}
    pub fn concurrent_chunks(self, chunks: usize) -> Self {}
    pub fn passes(self, passes: Passes) -> Self {}
    pub fn accept_gaps(self, accept: bool) -> Self {}
}

// extraction/chunks/settings.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passes {}
impl Passes {
    #[must_use]
    pub fn exactly(passes: u32) -> Self {}
    #[must_use]
    pub fn until_nothing_new(most: u32) -> Self {}
}

// extraction/escalation.rs
impl<'a, T, C> Extraction<'a, T, C> {
    pub fn escalate_below<A: Agent + ?Sized>(
        self,
        confidence: f64,
        agent: &'a A,
    ) -> Self {}
}

// extraction/extractor.rs
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Extractor {}
impl Extractor {
    pub fn new() -> Self {}
    settings_methods!();
    pub fn extract_untyped<'a>(
        &self,
        contract: &Contract,
        agent: &'a (impl Agent + ?Sized),
        prompt: impl Into<Prompt>,
    ) -> Extraction<'a, Value> {}
    pub fn fingerprint(
        &self,
        contract: &Contract,
        agent: &(impl Agent + ?Sized),
    ) -> String {}
}
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuestionFingerprint {
    pub question: String,
    pub asker: String,
    pub chars: usize,
}
impl QuestionFingerprint {
    pub const VERSION: u32 = 1;
}
impl<'a, T, C> Extraction<'a, T, C> {
    pub fn wrap_agents(
        mut self,
        mut wrap: impl FnMut(
            Box<dyn Agent + 'a>,
            Option<Duration>,
        ) -> Box<dyn Agent + 'a>,
    ) -> Self {}
    pub fn keep_json(self, json: &AcceptedJson) -> Self {}
    pub fn replay(mut self, attempts: Vec<AttemptRecord>) -> Self {}
}
impl<T, C> Extraction<'_, T, C> {
    pub fn fingerprint(&self, contract: &Contract) -> QuestionFingerprint {}
}

// extraction/items/feed.rs
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item<V> {
    pub index: usize,
    pub value: V,
}

// extraction/items/mod.rs
pub use self::feed::Item;
#[must_use = "a stream asks nothing until it is polled"]
pub struct Items<'a, T, V> {}
impl<'a, T: Send + 'a, C: 'a> Extraction<'a, T, C>
where
    T: WithContext<C>,
{
    pub fn items<L: ItemList>(self) -> Items<'a, T, L::Item>
    where
        T: SameType<L>,
        L::Item: DeserializeOwned + Send + 'a,
    {}
    pub fn items_of<P: ListPath<T>>(self, list: P) -> Items<'a, T, P::Item>
    where
        P::Item: DeserializeOwned + Send + 'a,
    {}
}
impl<T, V: DeserializeOwned> Items<'_, T, V> {
    pub async fn next(&mut self) -> Option<Result<Item<V>, ItemsError>> {}
    pub async fn finish(mut self) -> Result<(T, ExtractionMetrics), ItemsError> {}
    pub fn delivered(&self) -> Vec<usize> {}
}
pub trait ItemList {
    type Item;
}
pub trait ListPath<T> {
    type Item;
    fn into_place(self) -> PathPattern;
}
#[derive(Debug, Clone)]
pub struct ItemsError {}
impl ItemsError {
    pub fn delivered(&self) -> &[usize] {}
    pub fn error(&self) -> &ExtractionError {}
}

// extraction/mod.rs
pub mod items;
pub mod partials;
pub use self::{
    chunks::settings::Passes, extractor::{Extractor, QuestionFingerprint},
    shots::ShotSource,
};
#[must_use = "an extraction asks nothing until it is awaited"]
pub struct Extraction<'a, T, C = NoContext> {}
impl Contract {
    pub fn extract<'a, A: Agent + ?Sized>(
        &self,
        agent: &'a A,
        prompt: impl Into<Prompt>,
    ) -> Extraction<'a, Value> {}
}
impl<'a, T> Extraction<'a, T> {
    pub fn context<C: Sync + 'static>(self, context: &'a C) -> Extraction<'a, T, C> {}
}
impl<'a, T, C> Extraction<'a, T, C> {
    pub fn with(mut self, extractor: &Extractor) -> Self {}
    settings_methods!();
    pub fn escalate_to<A: Agent + ?Sized>(self, agent: &'a A) -> Self {}
    pub fn on_submit<E: IntoRejections>(
        self,
        mut callback: impl FnMut(&T) -> Result<(), E> + Send + 'a,
    ) -> Self {}
    pub fn observe(self, observer: impl FnMut(&Event<'_>) + Send + 'a) -> Self {}
}
impl<'a, T, C> Extraction<'a, T, C> {
    pub fn choose_shots(
        self,
        choose: impl FnOnce(&str) -> Vec<(String, Value)> + Send + 'a,
    ) -> Self {}
    pub fn choose_shots_from(
        self,
        source: ShotSource,
        choose: impl FnOnce(&str) -> Vec<(String, Value)> + Send + 'a,
    ) -> Self {}
}
impl<T: Serialize, C> Extraction<'_, T, C> {
    pub fn shot(self, text: impl Into<Parts>, answer: &T) -> Self {}
}
pub trait SameType<T> {}

// extraction/narrow.rs
impl<T, C> Extraction<'_, T, C> {
    pub fn one_of<V: Serialize>(
        self,
        place: impl IntoPathPattern<T>,
        values: impl IntoIterator<Item = V>,
    ) -> Self {}
    pub fn describe(
        self,
        place: impl IntoPathPattern<T>,
        text: impl AsRef<str>,
    ) -> Self {}
}
impl<T: DescribedType, C> Extraction<'_, T, C> {
    pub fn contract(self, contract: &Contract) -> Self {}
}
impl<T, C> Extraction<'_, T, C> {
    pub fn document(self, document: &Document) -> Self {}
}

// extraction/partials/mod.rs
pub use crate::{
    derive_support::{HasPartial, Progress, WhileWriting},
    reading::PartState,
};
#[must_use = "a stream asks nothing until it is polled"]
pub struct Partials<'a, T> {}
impl<'a, T: Send + 'a, C: 'a> Extraction<'a, T, C>
where
    T: WithContext<C>,
{
    pub fn partials(self) -> Partials<'a, T> {}
}
impl<T> Partials<'_, T> {
    pub async fn next(&mut self) -> Option<Result<PartialStep<T>, ExtractionError>> {}
}
pub struct Partial<T> {}
impl<T> Partial<T> {
    pub fn state(&self, pointer: &str) -> PartState {}
    pub fn get(&self, pointer: &str) -> Option<Value> {}
    pub fn len(&self, pointer: &str) -> Option<usize> {}
    pub fn part<U: DeserializeOwned>(
        &self,
        pointer: &str,
    ) -> Option<serde_json::Result<U>> {}
    pub fn progress(&self) -> Progress<T>
    where
        T: DescribedType,
    {}
    pub fn fields<U: HasPartial + DescribedType>(&self) -> U::Partial
    where
        T: SameType<U>,
    {}
    pub fn violations(&self, pointer: &str) -> Vec<Violation> {}
    pub fn to_value(&self) -> Value {}
}
#[derive(Debug)]
#[non_exhaustive]
pub enum PartialStep<T> {
    Partial(Partial<T>),
    #[non_exhaustive]
    Restarted { attempt: u32, violations: Vec<Violation> },
    Finished(T, Box<ExtractionMetrics>),
}

// extraction/settings.rs
// setters!: pub fn $ name : ident (mut self $ (, $ argument : ident : $ type : ty) ?) -> Self
// setters!: pub fn $ name (mut self $ (, $ argument : $ type) ?) -> Self
// settings_methods!: pub fn max_attempts (mut self , attempts : u32) -> Self
// settings_methods!: pub fn max_continuations (mut self , replies : u32) -> Self
// settings_methods!: pub fn confidence (mut self , confidence : Confidence) -> Self
// settings_methods!: pub fn calibrated (mut self , calibration : impl ConfidenceCalibration + 'static) -> Self
// settings_methods!: pub fn system (mut self , text : impl Into < String >) -> Self
// settings_methods!: pub fn instructions (mut self , write : impl Fn (& Instructions <'_ >) -> String + Send + Sync + 'static) -> Self
// settings_methods!: pub fn think_first (mut self , think : bool) -> Self
// settings_methods!: pub fn tools (mut self) -> Self
// settings_methods!: pub fn feedback (mut self , strategy : impl FeedbackStrategy + 'static) -> Self
// settings_methods!: pub fn feedback_options (mut self , options : FeedbackOptions) -> Self
// settings_methods!: pub fn prompt_options (mut self , options : PromptOptions) -> Self
// settings_methods!: pub fn reading_options (mut self , options : ReadingOptions) -> Self
// settings_methods!: pub fn transport_options (mut self , options : TransportOptions) -> Self
// settings_methods!: pub fn fatal_codes (mut self , codes : impl IntoIterator < Item : Into < Code >>) -> Self
// settings_methods!: pub fn stop_on_stall (mut self , stop : bool) -> Self
// settings_methods!: pub fn token_budget (mut self , tokens : u64) -> Self
// settings_methods!: pub fn deadline (mut self , limit : Duration) -> Self
// settings_methods!: pub fn timeout (mut self , limit : Duration) -> Self
// settings_methods!: pub fn max_output_tokens (mut self , tokens : u32) -> Self
// settings_methods!: pub fn temperature (mut self , temperature : f64) -> Self
// settings_methods!: pub fn thinking (mut self , level : ThinkingLevel) -> Self
// settings_methods!: pub fn temperature_on_stall (mut self , temperature : f64) -> Self
// settings_methods!: pub fn stream (mut self , stream : bool) -> Self
// settings_methods!: pub fn end_repetition (mut self , end : bool) -> Self
// settings_methods!: pub fn keep_valid_items (mut self , keep : bool) -> Self
// settings_methods!: pub fn trace_content (mut self , trace : bool) -> Self

// extraction/shots.rs
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct ShotSource {}
impl ShotSource {
    pub fn new(fingerprint: impl Into<String>) -> Self {}
    pub fn chars(self, chars: usize) -> Self {}
}

// feedback/failed.rs
#[derive(Debug)]
#[non_exhaustive]
pub struct FailedAttempt<'a> {
    pub opening: &'a Conversation,
    pub record: &'a AttemptRecord,
    pub next: u32,
    pub max_attempts: u32,
    pub stalls: u32,
    pub is_other_agent: bool,
}
impl FailedAttempt<'_> {
    pub fn is_truncated(&self) -> bool {}
    pub fn is_repeated(&self) -> bool {}
    pub fn shows_submission(&self) -> bool {}
    pub fn message(&self) -> String {}
    pub fn echo(&self) -> String {}
}
#[derive(Debug, Clone)]
#[must_use]
pub struct FeedbackOptions {}
impl FeedbackOptions {
    pub fn new() -> Self {}
    pub fn show_failing_schemas(mut self, show: bool) -> Self {}
    pub fn show_whole_schema(mut self, show: bool) -> Self {}
    pub fn show_submission(mut self, show: bool) -> Self {}
    pub fn show_attempt(mut self, show: bool) -> Self {}
    pub fn max_chars(mut self, chars: usize) -> Self {}
}

// feedback/message.rs
pub fn build_repair_prompt(violations: &[Violation]) -> String {}

// feedback/mod.rs
pub use self::{
    failed::{FailedAttempt, FeedbackOptions},
    message::build_repair_prompt,
};
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Feedback {
    Auto,
    Continue,
    Fresh,
    Patch,
}
pub trait FeedbackStrategy: Send + Sync {
    fn question(&self, failed: &FailedAttempt<'_>) -> FeedbackQuestion;
}
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackQuestion {}
impl FeedbackQuestion {
    pub fn whole(conversation: Conversation) -> Self {}
    pub fn patch(conversation: Conversation) -> Self {}
}
pub fn should_retry(violations: &[Violation]) -> bool {}
pub fn format_violations_for_display(violations: &[Violation]) -> String {}

// judging/event.rs
#[non_exhaustive]
pub enum Event<'a> {
    #[non_exhaustive]
    Asked {
        attempt: u32,
        max_attempts: u32,
        continuation: Option<&'a Continuation>,
        request: &'a Request,
        wants_patch: bool,
        notice: Option<ContinuationNotice<'a>>,
    },
    #[non_exhaustive]
    Delta { attempt: u32, text: &'a str, is_first: bool },
    #[non_exhaustive]
    Arguments {
        attempt: u32,
        call: usize,
        name: &'a str,
        text: &'a str,
        is_first: bool,
    },
    #[non_exhaustive]
    TransportFailed { attempt: u32, error: &'a AgentError, wait: Duration },
    #[non_exhaustive]
    Replied { attempt: u32, reply: &'a Reply },
    #[non_exhaustive]
    Read { attempt: u32, reading: &'a Reading },
    #[non_exhaustive]
    Judged { record: &'a AttemptRecord, is_accepted: bool },
    #[non_exhaustive]
    FeedingBack { record: &'a AttemptRecord, agent: &'a str, request: &'a Request },
    #[non_exhaustive]
    LeftOut { attempt: u32, record: &'a AttemptRecord, left_out: &'a [LeftOutItem] },
    #[non_exhaustive]
    InChunk { chunk: usize, chunks: usize, pass: u32, event: &'a Event<'a> },
    #[non_exhaustive]
    InSample { sample: u32, samples: u32, event: &'a Event<'a> },
    #[non_exhaustive]
    ChunkDone { chunk: usize, chunks: usize, is_success: bool },
    #[non_exhaustive]
    Done { is_success: bool, metrics: &'a ExtractionMetrics },
}

// judging/mod.rs
pub use self::{event::Event, value_judge::AcceptedJson};

// judging/value_judge.rs
#[derive(Debug, Clone, Default)]
pub struct AcceptedJson(Arc<Mutex<Option<Value>>>);
impl AcceptedJson {
    pub fn take(&self) -> Option<Value> {}
}

// lib.rs
pub mod agent;
pub mod document;
pub mod feedback;
pub mod metrics;
pub mod reading;
pub mod schema;
pub mod settings;
pub mod testing;
pub mod toolkit;
pub use self::{
    agent::Agent, attempt::{AttemptRecord, Continuation, Regression},
    contract::Contract, derive_support::{AnyThread, BySchemars, WithContext},
    error::{Coverage, ExtractionError, ExtractionRecord, ExtractionResult},
    extractable::Extractable,
    extraction::{
        Extraction, Extractor, Passes, QuestionFingerprint, ShotSource, items, partials,
    },
    feedback::Feedback, judging::{AcceptedJson, Event},
    metrics::ExtractionMetrics, settings::Confidence, toolkit::Toolkit,
    vocabulary::{
        attempt_status::AttemptStatus, context, path::{self, Path},
        rejection::{IntoRejections, Rejection, Rejections},
        usage::TokenUsage, violation::{Code, LeftOutItem, Severity, Violation},
    },
};
#[cfg(feature = "derive")]
pub use extract_derive::Extractable;

// metrics/confidence.rs
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Confidences {
    pub leaves: Vec<LeafConfidence>,
    pub is_calibrated: bool,
}
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeafConfidence {
    pub path: Path,
    pub confidence: Option<f64>,
    pub evidence: LeafEvidence,
    pub others: Vec<Value>,
}
impl Confidences {
    pub fn new(leaves: Vec<LeafConfidence>) -> Self {}
    pub fn is_empty(&self) -> bool {}
    pub fn at(&self, pointer: &str) -> Option<&LeafConfidence> {}
    pub fn by_pointer(&self) -> impl Iterator<Item = (String, Option<f64>)> {}
    pub fn unsure(&self, below: f64) -> Vec<&LeafConfidence> {}
    #[must_use]
    pub fn calibrated(
        mut self,
        calibration: &(impl ConfidenceCalibration + ?Sized),
    ) -> Self {}
}
impl LeafConfidence {
    pub fn new(path: Path, evidence: LeafEvidence) -> Self {}
    #[must_use]
    pub fn with_others(self, others: Vec<Value>) -> Self {}
    pub fn is_below(&self, confidence: f64) -> bool {}
}
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeafEvidence {
    pub field: String,
    pub is_null: bool,
    pub chars: usize,
    pub is_in_text: Option<bool>,
    pub has_clear_quote: Option<bool>,
    pub is_checked: bool,
    pub has_changed: bool,
    pub is_escalated: bool,
    pub agreement: Option<f64>,
    pub tokens: Option<TokenEvidence>,
    pub attempts: u32,
}
impl LeafEvidence {
    pub fn new(field: impl Into<String>, leaf: &Value, text: &str) -> Self {}
    #[must_use]
    pub fn agreeing(self, share: f64) -> Self {}
    #[must_use]
    pub fn with_tokens(self, tokens: TokenEvidence) -> Self {}
    #[must_use]
    pub fn after_attempts(self, attempts: u32) -> Self {}
    pub fn raw(&self) -> Option<f64> {}
}
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TokenEvidence {
    pub tokens: usize,
    pub log_probability: f64,
    pub lowest: f64,
    pub among_all: Option<f64>,
}
impl TokenEvidence {
    pub fn of(log_probabilities: impl IntoIterator<Item = f64>) -> Option<Self> {}
    #[must_use]
    pub fn with_among_all(self, log_probability: f64) -> Self {}
    pub fn probability(&self) -> f64 {}
    pub fn mean(&self) -> f64 {}
}
pub trait ConfidenceCalibration: Send + Sync {
    fn schema(&self) -> &str;
    fn confidence(&self, evidence: &LeafEvidence) -> f64;
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Escalation {
    pub agent: String,
    pub asked: Vec<Path>,
    pub changed: Vec<Path>,
    pub unused: Option<String>,
}

// metrics/cost.rs
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cost {
    pub amount: f64,
    pub unpriced: Vec<String>,
    pub is_estimated: bool,
}
impl Cost {
    pub fn is_complete(&self) -> bool {}
}
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub struct Price {}
impl Price {
    pub fn per_million(input: f64, output: f64) -> Self {}
    pub fn cached(mut self, price: f64) -> Self {}
    pub fn cache_write(mut self, price: f64) -> Self {}
}
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use]
pub struct Prices {}
impl Prices {
    pub fn new() -> Self {}
    pub fn model(
        mut self,
        name: impl Into<String>,
        price: Price,
    ) -> Result<Self, PriceError> {}
}
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub struct PriceError {
    pub model: String,
    pub kind: PriceKind,
    pub price: f64,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PriceKind {
    Input,
    Output,
    Cached,
    CacheWrite,
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelUsage {
    pub agent: String,
    pub model: Option<String>,
    pub replies: u32,
    pub usage: TokenUsage,
}
impl ModelUsage {
    pub fn of_reply(agent: String, model: Option<String>, usage: TokenUsage) -> Self {}
    pub fn name(&self) -> &str {}
    pub fn add_to(self, all: &mut Vec<Self>) {}
}

// metrics/mod.rs
pub use self::{
    confidence::{
        ConfidenceCalibration, Confidences, Escalation, LeafConfidence, LeafEvidence,
        TokenEvidence,
    },
    cost::{Cost, ModelUsage, Price, PriceError, PriceKind, Prices},
};
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AttemptMetrics {
    pub number: u32,
    pub chunk: Option<usize>,
    pub agent: String,
    pub origin: ReplyOrigin,
    pub usage: TokenUsage,
    pub elapsed: Duration,
    pub violations: usize,
    pub verdict: AttemptStatus,
    pub notes: Vec<String>,
}
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExtractionMetrics {
    pub attempts: u32,
    pub continuations: u32,
    pub elapsed: Duration,
    pub usage: TokenUsage,
    pub per_model: Vec<ModelUsage>,
    pub per_attempt: Vec<AttemptMetrics>,
    pub transport_retries: u32,
    pub transport_failures: Vec<TransportFailure>,
    pub warnings: Vec<Violation>,
    pub changes: Vec<Change>,
    pub left_out: Vec<LeftOutItem>,
    pub chunks: Vec<ChunkMetrics>,
    pub conflicts: Vec<Conflict>,
    pub mentions: Vec<Mentions>,
    pub gaps: Vec<Gap>,
    pub confidences: Confidences,
    pub escalation: Option<Escalation>,
}
impl ExtractionMetrics {
    pub fn confidence(&self, pointer: &str) -> Option<&LeafConfidence> {}
    pub fn unsure(&self, below: f64) -> Vec<&LeafConfidence> {}
    pub fn cost(&self, prices: &Prices) -> Cost {}
    pub fn spend(&mut self, used: Vec<ModelUsage>) {}
    pub fn redact_values(&mut self) {}
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TransportFailure {
    pub attempt: u32,
    pub error: String,
    pub status: Option<u16>,
    pub request_id: Option<String>,
}
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReplyOrigin {
    pub model: Option<String>,
    pub response_id: Option<String>,
    pub request_id: Option<String>,
    pub status: Option<u16>,
    pub agent: Option<String>,
}
impl ReplyOrigin {
    #[must_use]
    pub fn with_model(mut self, model: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_response_id(mut self, id: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_request_id(mut self, id: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {}
    pub fn is_empty(&self) -> bool {}
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChunkMetrics {
    pub range: Range<usize>,
    pub attempts: u32,
    pub passes: u32,
    pub elapsed: Duration,
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Gap {
    pub chunk: usize,
    pub range: Range<usize>,
    pub pass: u32,
    pub error: String,
    pub message: String,
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Conflict {
    pub path: Path,
    pub kept: Statement,
    pub others: Vec<Statement>,
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Statement {
    pub value: Value,
    pub spans: Vec<Span>,
    pub chunk: usize,
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Mentions {
    pub path: Path,
    pub spans: Vec<Span>,
}

// prompt/instructions.rs
#[derive(Debug)]
pub struct Instructions<'a> {}
impl<'a> Instructions<'a> {
    pub fn contract(&self) -> &'a Contract {}
    pub fn task(&self) -> &str {}
    pub fn schema(&self) -> &str {}
    pub fn absence(&self) -> &str {}
    pub fn example(&self) -> Option<&str> {}
}
impl Contract {
    pub fn instructions(&self) -> String {}
}

// prompt/mod.rs
pub use self::{
    instructions::Instructions,
    options::{PromptOptions, SchemaNotation, SchemaPosition, ShotPosition},
};

// prompt/options.rs
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaNotation {
    Auto,
    Types,
    JsonSchema,
    Outline,
    None,
}
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaPosition {
    System,
    AfterPrompt,
}
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShotPosition {
    Turns,
    System,
}
#[derive(Debug, Clone)]
#[must_use]
pub struct PromptOptions {}
impl PromptOptions {
    pub fn new() -> Self {}
    pub fn schema_notation(mut self, notation: SchemaNotation) -> Self {}
    pub fn schema_position(mut self, place: SchemaPosition) -> Self {}
    pub fn show_example(mut self, show: bool) -> Self {}
    pub fn show_absence(mut self, show: bool) -> Self {}
    pub fn shot_position(mut self, place: ShotPosition) -> Self {}
}
impl Contract {
    pub fn written_as(&self, notation: SchemaNotation) -> String {}
}

// reading/locate/reasoning.rs
pub fn without_reasoning(text: &str) -> &str {}

// reading/mod.rs
pub use self::{
    locate::reasoning::without_reasoning, options::{Leniency, ReadingOptions, ReplyEnd},
    scan::PartState,
};
pub use crate::vocabulary::change::{Change, ChangeKind, Loss};
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    pub value: Option<Value>,
    pub changes: Vec<Change>,
    pub violations: Vec<Violation>,
    pub completeness: Completeness,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Completeness {
    Complete,
    Truncated { at: usize },
}
impl Completeness {
    pub fn is_truncated(self) -> bool {}
}
#[derive(Debug, Clone)]
#[must_use = "a reader does nothing until it reads"]
pub struct Reader<'c> {}
impl<'c> Reader<'c> {
    pub fn options(mut self, options: ReadingOptions) -> Self {}
    pub fn leniency(mut self, leniency: Leniency) -> Self {}
    pub fn max_bytes(mut self, bytes: usize) -> Self {}
    pub fn max_depth(mut self, levels: usize) -> Self {}
    pub fn max_candidates(mut self, count: usize) -> Self {}
    pub fn keep_null_strings(mut self, keep: bool) -> Self {}
    pub fn reply_end(mut self, end: ReplyEnd) -> Self {}
    pub fn read(&self, reply: &str) -> Reading {}
}

// reading/options.rs
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Leniency {
    Strict,
    Faithful,
    Lossy,
}
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct ReadingOptions {}
impl ReadingOptions {
    pub fn new() -> Self {}
    pub fn leniency(mut self, leniency: Leniency) -> Self {}
    pub fn max_bytes(mut self, bytes: usize) -> Self {}
    pub fn max_depth(mut self, levels: usize) -> Self {}
    pub fn max_candidates(mut self, count: usize) -> Self {}
    pub fn keep_null_strings(mut self, keep: bool) -> Self {}
}
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReplyEnd {
    Whole,
    Unknown,
    Cut,
}

// reading/scan/mod.rs
pub use self::snapshot::PartState;

// reading/scan/snapshot.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartState {
    Pending,
    Writing,
    Done,
}

// schema/accepts.rs
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthUnit {
    Text,
    Sequence,
    Map,
}
pub trait AcceptsRange<D = ()> {
    const NUMBER: () = ();
}
pub trait AcceptsLength<D = ()> {
    const LENGTH: LengthUnit;
}
pub trait AcceptsPattern<D = ()> {
    const TEXT: () = ();
}
pub trait AcceptsElements<D = ()> {
    type Element;
    const SEQUENCE: () = ();
}
pub trait AcceptsEntries<D = ()> {
    type Key;
    type Value;
    const MAP: () = ();
}

// schema/dialect/mod.rs
pub use self::{
    openai::REFUSED_BY_AZURE,
    projection::{Inexpressible, Projection, UnenforcedConstraint},
    rules::is_judged_format,
};
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    OpenAi,
    Anthropic,
    Gemini,
    Ollama,
}
impl Dialect {
    pub const ALL: [Self; 4] = [
        Self::OpenAi,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
    ];
    pub fn project(self, schema: &Value) -> Result<Projection, Inexpressible> {}
    pub fn offer(self, schema: &Value) -> Result<Projection, Inexpressible> {}
}
pub fn is_annotation(keyword: &str) -> bool {}
pub fn implied_types(keywords: &Map<String, Value>) -> Option<Value> {}
pub fn are_exclusive(branches: &[Value], root: &Value) -> bool {}
pub fn follow_references<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {}

// schema/dialect/openai.rs
pub const REFUSED_BY_AZURE: [&str; 9] = [
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
];

// schema/dialect/projection.rs
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Projection {
    pub schema: Value,
    pub unenforced: Vec<UnenforcedConstraint>,
    pub is_enveloped: bool,
}
impl Projection {
    pub fn note(&self) -> Option<String> {}
    #[must_use]
    pub fn without(mut self, keywords: &[&str]) -> Self {}
}
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inexpressible {
    pub path: Path,
    pub reason: String,
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnenforcedConstraint {
    pub path: Path,
    pub keyword: String,
    pub reason: Cow<'static, str>,
}
impl UnenforcedConstraint {
    pub fn new(
        path: Path,
        keyword: impl Into<String>,
        reason: impl Into<Cow<'static, str>>,
    ) -> Self {}
    pub fn lines(unenforced: &[Self]) -> Vec<String> {}
}

// schema/dialect/rules.rs
pub fn is_judged_format(format: &str) -> bool {}

// schema/flatten.rs
pub trait HasKeys<D = ()> {
    const KEYS: () = ();
}

// schema/from_types/mod.rs
pub use self::token::TypesError;

// schema/from_types/token.rs
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TypesError {
    #[non_exhaustive]
    Notation { line: usize, column: usize, message: String },
    Schema(SchemaError),
}

// schema/keyword.rs
#[derive(Debug)]
pub enum FieldKeyword<'a> {
    Title(&'a str),
    Description(&'a str),
    Minimum(Value),
    Maximum(Value),
    ExclusiveMinimum(Value),
    ExclusiveMaximum(Value),
    MultipleOf(Value),
    MinLength(LengthUnit, usize),
    MaxLength(LengthUnit, usize),
    Pattern(&'a str),
    Format(&'a str),
    Unique,
    OneOf(Vec<Value>),
    Sensitive,
    KeepValidItems,
    Key,
    Merge(&'a str),
    Examples(Vec<Value>),
    Items(&'a [FieldKeyword<'a>]),
    Keys(&'a [FieldKeyword<'a>]),
    Values(&'a [FieldKeyword<'a>]),
}
pub trait NumberBound {
    fn into_value(self) -> Value;
}
pub fn bound(number: impl NumberBound) -> Value {}
pub fn values<T: Serialize>(values: &[T]) -> Vec<Value> {}
pub fn examples<T: Serialize>(example: &T) -> Vec<Value> {}
pub fn text_example(example: &str) -> Vec<Value> {}
pub fn key(inner: Option<Schema>, keywords: &[FieldKeyword<'_>]) -> Option<Schema> {}

// schema/marks.rs
pub fn ordered<T: DeserializeOwned>(
    left: &Value,
    right: &Value,
    by: fn(&T, &T) -> Ordering,
) -> Option<Ordering> {}

// schema/mistakes.rs
pub type SerdeRefusal = fn(&Value) -> Option<String>;

// schema/mod.rs
pub mod dialect;
pub use schemars::{Schema, SchemaGenerator, json_schema};
pub use self::{from_types::TypesError, narrow::NarrowingError};
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct SchemaError {}
impl SchemaError {
    pub fn path(&self) -> &Path {}
    pub fn message(&self) -> &str {}
}

// schema/narrow/mod.rs
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct NarrowingError {}
impl NarrowingError {
    pub fn place(&self) -> &PathPattern {}
    pub fn message(&self) -> &str {}
}

// schema/shape.rs
#[derive(Debug, Clone, Copy)]
pub enum FieldsShape<'a> {
    Unit,
    Newtype(FieldProperty<'a>),
    Tuple(&'a [FieldProperty<'a>]),
    Named(&'a [FieldProperty<'a>], bool),
}
pub fn struct_(
    generator: &mut SchemaGenerator,
    shape: FieldsShape<'_>,
    keywords: &[FieldKeyword<'_>],
) -> Schema {}
#[derive(Debug, Clone, Copy)]
pub struct FieldProperty<'a> {}
impl<'a> FieldProperty<'a> {
    #[must_use]
    pub const fn new(name: &'a str, source: SchemaSource) -> Self {}
    #[must_use]
    pub const fn aliases(mut self, aliases: &'a [&'a str]) -> Self {}
    #[must_use]
    pub const fn keywords(mut self, keywords: &'a [FieldKeyword<'a>]) -> Self {}
    #[must_use]
    pub const fn greatest(mut self, order: ValueOrder) -> Self {}
    #[must_use]
    pub const fn defaulted(mut self) -> Self {}
    #[must_use]
    pub const fn flat(mut self) -> Self {}
}
#[derive(Debug, Clone, Copy)]
pub struct SchemaSource {}
impl SchemaSource {
    #[must_use]
    pub const fn with(schema: fn(&mut SchemaGenerator) -> Schema) -> Self {}
    #[must_use]
    pub const fn or_absent(mut self) -> Self {}
}

// schema/union_.rs
#[derive(Debug, Clone, Copy)]
pub enum EnumTagging<'a> {
    External,
    Internal(&'a str),
    Adjacent(&'a str, &'a str),
    Untagged,
}
#[derive(Debug, Clone, Copy)]
pub struct EnumVariant<'a> {}
impl<'a> EnumVariant<'a> {
    #[must_use]
    pub const fn new(names: &'a [&'a str], shape: FieldsShape<'a>) -> Self {}
    #[must_use]
    pub const fn keywords(mut self, keywords: &'a [FieldKeyword<'a>]) -> Self {}
    #[must_use]
    pub const fn untagged(mut self) -> Self {}
    #[must_use]
    pub const fn other(mut self) -> Self {}
}
pub fn enum_(
    generator: &mut SchemaGenerator,
    tagging: EnumTagging<'_>,
    denies_unknown: bool,
    variants: &[EnumVariant<'_>],
    keywords: &[FieldKeyword<'_>],
) -> Schema {}

// settings.rs
pub use crate::{
    error::SettingsError, feedback::FeedbackOptions,
    prompt::{Instructions, PromptOptions, SchemaNotation, SchemaPosition, ShotPosition},
    reading::{Leniency, ReadingOptions},
};
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Confidence {
    Off,
    Auto,
    Tokens,
    Samples(u32),
}
impl Confidence {
    pub const MAX_SAMPLES: u32 = 32;
}
#[derive(Debug, Clone)]
#[must_use]
pub struct TransportOptions {}
impl TransportOptions {
    pub fn new() -> Self {}
    pub fn retries(mut self, retries: usize) -> Self {}
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {}
}

// testing/assert_extractable.rs
pub fn assert_extractable<T: Extractable + Serialize>() {}
pub fn assert_extractable_one_way<T: Extractable>() {}

// testing/cassette/mod.rs
pub use self::recording::CassetteError;
#[derive(Debug)]
pub struct Cassette {}
impl Cassette {
    pub fn record(agent: impl Agent + 'static, path: impl Into<PathBuf>) -> Self {}
    pub fn replay(path: impl Into<PathBuf>) -> Result<Self, CassetteError> {}
    pub fn from_env<A: Agent + 'static, E: Into<Box<dyn Error + Send + Sync>>>(
        path: impl Into<PathBuf>,
        agent: impl FnOnce() -> Result<A, E>,
    ) -> Result<Self, CassetteError> {}
    pub fn loosely(mut self) -> Self {}
    pub fn redact(mut self, text: impl AsRef<str>) -> Self {}
    pub fn redact_matching(mut self, pattern: &str) -> Result<Self, CassetteError> {}
    pub fn unused(&self) -> usize {}
    pub fn finish(&self) -> Result<(), CassetteError> {}
    pub fn assert_finished(&self) {}
}

// testing/cassette/recording.rs
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CassetteError {
    Unreadable { path: PathBuf, source: io::Error },
    Malformed { path: PathBuf, message: String },
    Version { path: PathBuf, found: u64, expected: u64 },
    Unwritable { path: PathBuf, source: io::Error },
    Agent(Box<dyn Error + Send + Sync>),
    Mode(String),
    Pattern(String),
    Unfinished { path: PathBuf, complaints: Vec<String> },
}

// testing/mod.rs
pub use self::{
    assert_extractable::{assert_extractable, assert_extractable_one_way},
    cassette::{Cassette, CassetteError},
    scripted::ScriptedAgent,
};
pub use crate::agent::guard::{self, allow_real_agents, deny_real_agents};
pub fn block_on<F: IntoFuture>(future: F) -> F::Output {}

// testing/scripted.rs
#[derive(Debug, Default)]
pub struct ScriptedAgent {}
impl ScriptedAgent {
    pub fn new<R: Into<Reply>>(replies: impl IntoIterator<Item = R>) -> Self {}
    #[must_use]
    pub fn then(self, reply: impl Into<Reply>) -> Self {}
    #[must_use]
    pub fn then_fail(self, error: AgentError) -> Self {}
    #[must_use]
    pub fn then_hang(self) -> Self {}
    #[must_use]
    pub fn calling_tools(mut self) -> Self {}
    #[must_use]
    pub fn thinking_first(mut self) -> Self {}
    #[must_use]
    pub fn continuing_replies(mut self) -> Self {}
    #[must_use]
    pub fn reporting_log_probabilities(mut self) -> Self {}
    #[must_use]
    pub fn setting_thinking(mut self) -> Self {}
    #[must_use]
    pub fn constrained(mut self, constraint: Constraint) -> Self {}
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {}
    #[must_use]
    pub fn streaming<P: Into<String>>(
        self,
        deltas: impl IntoIterator<Item = P>,
    ) -> Self {}
    #[must_use]
    pub fn streaming_arguments<P: Into<String>>(
        self,
        index: usize,
        deltas: impl IntoIterator<Item = P>,
    ) -> Self {}
    #[must_use]
    pub fn expecting(self, text: impl Into<String>) -> Self {}
    #[must_use]
    pub fn expecting_that(
        self,
        what: impl Into<String>,
        is_met: impl Fn(&Request) -> bool + Send + Sync + 'static,
    ) -> Self {}
    pub fn requests(&self) -> Vec<Request> {}
    pub fn remaining(&self) -> usize {}
    pub fn assert_finished(&self) {}
}

// toolkit/attempt.rs
impl<T: WithContext<C> + Send, C> Toolkit<'_, T, C> {
    pub async fn call(&mut self, call: impl Into<ReceivedCall>) -> ToolResult {}
}
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReceivedCall {
    pub call: ToolCall,
    pub finish_reason: FinishReason,
    pub usage: Option<TokenUsage>,
    pub agent: String,
}
impl ReceivedCall {
    #[must_use]
    pub fn finished(mut self, reason: FinishReason) -> Self {}
    #[must_use]
    pub fn with_usage(mut self, usage: TokenUsage) -> Self {}
    #[must_use]
    pub fn by(mut self, agent: impl Into<String>) -> Self {}
}

// toolkit/mod.rs
pub use self::attempt::ReceivedCall;
pub use crate::agent::{Tool, ToolCall, ToolResult};
pub struct Toolkit<'a, T, C = NoContext> {}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolkitState {
    Open { attempts: u32, max_attempts: u32 },
    Accepted,
    Failed,
}
impl Toolkit<'_, Value> {
    pub fn untyped(contract: Contract) -> Self {}
}
impl<'a, T> Toolkit<'a, T> {
    pub fn context<C: Sync + 'static>(self, context: &'a C) -> Toolkit<'a, T, C> {}
}
impl<'a, T, C> Toolkit<'a, T, C> {
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {}
    #[must_use]
    pub fn document(mut self, document: &Document) -> Self {}
    #[must_use]
    pub fn max_attempts(mut self, attempts: u32) -> Self {}
    #[must_use]
    pub fn reading_options(mut self, options: ReadingOptions) -> Self {}
    #[must_use]
    pub fn feedback_options(mut self, options: FeedbackOptions) -> Self {}
    #[must_use]
    pub fn stop_on_stall(mut self, stop: bool) -> Self {}
    #[must_use]
    pub fn token_budget(mut self, tokens: u64) -> Self {}
    #[must_use]
    pub fn fatal_codes(mut self, codes: impl IntoIterator<Item: Into<Code>>) -> Self {}
    #[must_use]
    pub fn measure_evidence(mut self) -> Self {}
    pub fn calibrated(
        self,
        calibration: impl ConfidenceCalibration + 'static,
    ) -> Result<Self, SettingsError> {}
    #[must_use]
    pub fn on_submit<E: IntoRejections>(
        mut self,
        mut callback: impl FnMut(&T) -> Result<(), E> + Send + 'a,
    ) -> Self {}
    #[must_use]
    pub fn observe(mut self, observer: impl FnMut(&Event<'_>) + Send + 'a) -> Self {}
    pub fn tools(&self) -> Vec<Tool> {}
    pub fn state(&self) -> ToolkitState {}
    pub fn history(&self) -> &[AttemptRecord] {}
    pub fn metrics(&self) -> &ExtractionMetrics {}
    pub fn finish(mut self) -> ExtractionResult<T> {}
    pub fn finish_because(mut self, error: AgentError) -> ExtractionResult<T> {}
    pub fn take_outcome(&mut self, stopped: AgentError) -> ExtractionResult<T> {}
    pub fn distinguish(&mut self) {}
}
impl<T, C> Toolkit<'_, T, C> {
    pub fn one_of<V: Serialize>(
        self,
        place: impl IntoPathPattern<T>,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, NarrowingError> {}
    pub fn describe(
        self,
        place: impl IntoPathPattern<T>,
        text: impl AsRef<str>,
    ) -> Result<Self, NarrowingError> {}
}

// validation/judge.rs
#[derive(Debug, Clone)]
pub struct LazyPath<'a> {}
impl LazyPath<'_> {
    pub fn root() -> Self {}
    pub fn key<'a>(&'a self, key: &'a str) -> LazyPath<'a> {}
    pub fn index(&self, index: usize) -> LazyPath<'_> {}
    pub fn inside(&self) -> LazyPath<'_> {}
    pub fn among(&self) -> LazyPath<'_> {}
    pub fn to_path(&self) -> Path {}
}
pub trait RuleResult {
    fn record(self, judge: &mut RuleJudge<'_>, place: &LazyPath<'_>);
}
#[derive(Default)]
pub struct RuleJudge<'v> {}
impl<'v> RuleJudge<'v> {
    #[must_use]
    pub fn is_running(&self) -> bool {}
    #[must_use]
    pub fn context<C: 'static>(&self) -> Option<&'v C> {}
    #[must_use]
    pub fn context_if_running<C: 'static>(&self) -> Option<&'v C> {}
    pub fn defer<F: AwaitedCheck + Send + 'v>(
        &mut self,
        check: impl FnOnce() -> F + Send + 'v,
        place: &LazyPath<'_>,
    ) {}
}
pub trait AwaitedCheck {
    fn verdict(self) -> impl Future<Output = Result<(), Rejections>> + Send
    where
        Self: Send;
}

// validation/mod.rs
pub use self::{
    judge::{AwaitedCheck, LazyPath, RuleJudge, RuleResult},
    valid_parts::{ValidParts, ValuePart},
};

// validation/valid_parts.rs
#[derive(Clone)]
pub struct ValuePart<'p> {}
impl<'p> ValuePart<'p> {
    #[must_use]
    pub fn key(&self, names: &[&str]) -> Option<ValuePart<'_>> {}
    #[must_use]
    pub fn index(&self, index: usize) -> Option<ValuePart<'_>> {}
    pub fn elements(&self) -> impl Iterator<Item = ValuePart<'_>> {}
    pub fn entries(&self) -> impl Iterator<Item = ValuePart<'_>> {}
    #[must_use]
    pub fn is_tagged(&self, tag: &str, names: &[&str]) -> bool {}
}
#[derive(Debug)]
pub struct ValidParts<'c> {}

// vocabulary/attempt_status.rs
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum AttemptStatus {
    Accepted,
    AcceptedInPart,
    Rejected,
    Truncated,
    Repeated,
    Refused,
}
impl AttemptStatus {
    pub fn as_str(self) -> &'static str {}
}

// vocabulary/change.rs
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Change {
    pub path: Path,
    pub span: Range<usize>,
    pub kind: ChangeKind,
    pub before: String,
    pub after: String,
    pub loss: Loss,
    pub chunk: Option<usize>,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ChangeKind {
    Surroundings,
    OtherValue,
    Wrapper,
    Comma,
    Colon,
    Bracket,
    Quote,
    Escape,
    ControlCharacter,
    Space,
    Comment,
    Literal,
    Number,
    Concatenation,
    Ellipsis,
    Missing,
    Duplicate,
    Cut,
    Absent,
    NullString,
    Type,
    CalendarDate,
    EmbeddedJson,
    Choice,
    Other,
    Quotation,
    Name,
    UnknownKey,
    LeftOver,
    AnotherTurn,
    Overlap,
    Others,
}
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize
)]
#[non_exhaustive]
pub enum Loss {
    Lossless,
    Ignored,
    Lossy,
}

// vocabulary/context.rs
#[derive(Debug, Clone, Copy)]
pub struct NoContext;
#[derive(Debug)]
pub struct NeedsContext<C>(PhantomData<fn(C)>);
pub trait ProvidesContext<Need> {}

// vocabulary/mod.rs
pub mod context;
pub mod path;

// vocabulary/path/mod.rs
pub use self::{
    parse::PathError, pattern::{IntoPathPattern, PathPattern, TypedPath},
    segment::{PatternStep, Segment},
};
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Path {}
impl Path {
    pub fn root() -> Self {}
    #[must_use]
    pub fn key(self, key: impl AsRef<str>) -> Self {}
    #[must_use]
    pub fn index(self, index: usize) -> Self {}
    #[must_use]
    pub fn join(self, relative: &Self) -> Self {}
    pub fn segments(&self) -> &[Segment] {}
    pub fn is_root(&self) -> bool {}
    pub fn parent(&self) -> Option<Self> {}
    pub fn is_within(&self, other: &Self) -> bool {}
    pub fn resolve<'v>(&self, value: &'v Value) -> Option<&'v Value> {}
    pub fn to_pointer(&self) -> String {}
}

// vocabulary/path/parse.rs
impl Path {
    pub fn from_pointer(pointer: &str) -> Result<Self, PathError> {}
    pub fn from_pointer_in(pointer: &str, value: &Value) -> Result<Self, PathError> {}
}
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct PathError {}

// vocabulary/path/pattern.rs
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct PathPattern {}
impl PathPattern {
    pub fn root() -> Self {}
    #[must_use]
    pub fn key(self, key: impl AsRef<str>) -> Self {}
    #[must_use]
    pub fn index(self, index: usize) -> Self {}
    #[must_use]
    pub fn each(self) -> Self {}
    pub fn steps(&self) -> &[PatternStep] {}
}
pub struct TypedPath<T, V> {}
pub trait IntoPathPattern<T> {
    fn into_place(self) -> PathPattern;
}

// vocabulary/path/segment.rs
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Segment {
    Key(Key),
    Index(usize),
}
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PatternStep {
    Key(Key),
    Index(usize),
    Each,
}
#[derive(Clone)]
pub struct Key(Arc<str>);
impl Key {
    pub fn as_str(&self) -> &str {}
}

// vocabulary/redaction/mod.rs
#[derive(Clone)]
pub struct Keys {}
impl Keys {
    pub fn of_environment() -> Self {}
    pub fn insert(&mut self, text: &str) {}
    pub fn insert_key(&mut self, key: &str) {}
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {}
}

// vocabulary/rejection.rs
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection(Box<RejectionDetails>);
impl Rejection {
    pub fn new(message: impl Into<String>) -> Self {}
    pub fn fatal(message: impl Into<String>) -> Self {}
    pub fn warning(message: impl Into<String>) -> Self {}
    #[must_use]
    pub fn at(mut self, path: impl Into<Path>) -> Self {}
    #[must_use]
    pub fn code(mut self, code: impl Into<Cow<'static, str>>) -> Self {}
    #[must_use]
    pub fn expected(mut self, expected: impl fmt::Display) -> Self {}
    #[must_use]
    pub fn actual(mut self, actual: impl fmt::Display) -> Self {}
}
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rejections(Vec<Rejection>);
impl Rejections {
    pub fn new() -> Self {}
    pub fn push(&mut self, rejection: impl Into<Rejection>) {}
    pub fn is_empty(&self) -> bool {}
    pub fn into_result(self) -> Result<(), Self> {}
}
pub trait IntoRejections {
    fn into_rejections(self) -> Rejections;
}

// vocabulary/usage.rs
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TokenUsage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cached_input_tokens: u64,
    pub cache_write_tokens: u64,
    pub reasoning_tokens: u64,
    pub is_estimated: bool,
}
impl TokenUsage {
    pub fn new(input: u64, output: u64) -> Self {}
    pub fn estimated(chars_read: usize, chars_written: usize) -> Self {}
    #[must_use]
    pub fn cached(mut self, tokens: u64) -> Self {}
    #[must_use]
    pub fn cache_written(mut self, tokens: u64) -> Self {}
    #[must_use]
    pub fn reasoning(mut self, tokens: u64) -> Self {}
    #[must_use]
    pub fn with_parts_in_sides(mut self) -> Self {}
    pub fn total(&self) -> u64 {}
    pub fn add(&mut self, other: Self) {}
}

// vocabulary/violation.rs
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Code {
    NotJson,
    NotObject,
    MissingField,
    UnknownField,
    WrongType,
    InvalidValue,
    Rule,
    Rejected,
    Truncated,
    Repetition,
    Refused,
    NotInSource,
    NotInQuote,
    AmbiguousQuote,
    Patch,
    Continuation,
    Changed,
    LeftOver,
    More,
    Custom(Cow<'static, str>),
}
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize
)]
#[non_exhaustive]
pub enum Severity {
    Warning,
    Fixable,
    Fatal,
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Violation {
    pub path: Path,
    pub code: Code,
    pub message: String,
    pub hint: Option<String>,
    pub expected: Option<String>,
    pub actual: Option<String>,
    pub keyword: Option<Cow<'static, str>>,
    pub severity: Severity,
}
impl Violation {
    pub fn new(path: Path, code: Code, message: impl Into<String>) -> Self {}
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {}
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {}
    #[must_use]
    pub fn actual(mut self, actual: impl Into<String>) -> Self {}
    #[must_use]
    pub fn keyword(mut self, keyword: impl Into<Cow<'static, str>>) -> Self {}
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {}
    pub fn is_fatal(&self) -> bool {}
    pub fn is_warning(&self) -> bool {}
}
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeftOutItem {
    pub path: Path,
    pub value: Value,
    pub violations: Vec<Violation>,
    pub chunk: Option<usize>,
}
// code_names!: pub fn as_str (& self) -> & str

