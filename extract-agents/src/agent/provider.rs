//! The agent: its settings, and what the loop learns from it.

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use extract::{
    agent::{
        Agent, AgentError, AgentErrorKind, Capabilities, Constraint, ConstraintFuture, DeltaSink,
        ReplyFuture, Request, guard,
        provider::{Keys, ProviderFailure},
    },
    schema::dialect::Dialect,
};
use serde_json::{Map, Value};

use super::{
    answered::Answered,
    env,
    learned::{self, SharedLearned},
    schemas::Schemas,
};
use crate::{
    format::ThinkingForm,
    http::{Http, Target},
    profile::{Enforcement, KeyHeader, Profile, SchemaSupport},
    wire::{Heads, Settings},
};

/// Shorter values are not secrets but words.
const SHORTEST_SECRET: usize = 8;

/// Members of a body that the agent itself decides.
const OWN_MEMBERS: [&str; 11] = [
    "model",
    "messages",
    "input",
    "contents",
    "system",
    "systemInstruction",
    "stream",
    "tools",
    "response_format",
    "format",
    "text",
];

/// Whether to send the schema in the server's native form, besides the prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StructuredOutput {
    /// In the native form if the [profile](Profile::schema) has one that can express it. Otherwise
    /// only the prompt has the schema, and a [note](extract::agent::Reply::notes) says why.
    #[default]
    Auto,
    /// Only in the prompt.
    Off,
    /// In this dialect, even if the profile differs, and enforced by a decoder.
    As(Dialect),
}

/// A model of a provider or of a server, asked over HTTP.
///
/// The name is `provider/model`; [`Profile::ALL`] has the providers. Keys and addresses come from
/// the environment variables that the profile names. Clones share connections and all serialized
/// data.
///
/// # Limits
///
/// Nothing is retried here; the extraction does that. Two exceptions need no waiting: a request that
/// is refused with its schema, or because of one of its parameters, is sent once more without that,
/// and the process remembers it for the model. A connection has to be there after 10 seconds, the
/// server may be silent for 10 minutes, and a body may have 16 MiB. A redirect to another server is
/// followed without key and headers.
///
/// # Errors
///
/// - [`Unavailable`](extract::agent::AgentErrorKind::Unavailable): no tokio runtime, no key, an
///   invalid address
/// - [`Refused`](extract::agent::AgentErrorKind::Refused): 4xx, such as a wrong key or an unknown
///   model, and an exhausted quota
/// - [`TooLong`](extract::agent::AgentErrorKind::TooLong): 413, a 4xx that speaks of the length of
///   the prompt, and a reply to a prompt that the server cut: its count of input tokens is below a
///   third of an estimate
/// - [`RateLimited`](extract::agent::AgentErrorKind::RateLimited): 429, with the wait that
///   `Retry-After` or the body asks for
/// - [`Transport`](extract::agent::AgentErrorKind::Transport): no connection, a broken one, 5xx, an
///   error in a 200
/// - [`Timeout`](extract::agent::AgentErrorKind::Timeout): no connection or silence for too long,
///   408
/// - [`Garbled`](extract::agent::AgentErrorKind::Garbled): a body that is not JSON, not a reply, not
///   UTF-8 or too long
///
/// In a process that called [`deny_real_agents`](extract::testing::deny_real_agents), it refuses
/// before anything is sent. It must be awaited inside a tokio runtime with IO and time enabled.
///
/// ```no_run
/// use extract::Contract;
/// use extract_agents::ProviderAgent;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = ProviderAgent::new("anthropic/claude-haiku-5-5")?;
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let (legs, metrics) = contract.extract(&agent, "How many legs has a spider?").await?;
/// println!("{legs} ({metrics})");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ProviderAgent {
    pub(crate) profile: Profile,
    /// `provider/model`
    pub(super) name: Arc<str>,
    pub(super) model: Arc<str>,
    /// An error is the variable that is missing.
    pub(super) address: Result<Arc<str>, Arc<str>>,
    pub(super) key: Option<Arc<str>>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) settings: Settings,
    pub(super) structured_output: StructuredOutput,
    pub(super) observer: Option<Arc<Observer>>,
    pub(crate) http: Http,
    pub(super) learned: SharedLearned,
    /// Values that depend on the settings, computed once.
    pub(super) kept: Arc<Kept>,
    /// Who enforces schemas at this address, whatever the profile says.
    enforces_at_most: Enforcement,
}

type Observer = dyn Fn(&Answered<'_>) + Send + Sync;

#[derive(Default)]
pub(super) struct Kept {
    pub(super) heads: Heads,
    pub(super) schemas: Schemas,
    target: OnceLock<Target>,
    stream_target: OnceLock<Target>,
}

impl ProviderAgent {
    /// The model that [`from_env`](Self::from_env) uses for `OPENAI_API_KEY`. This and the models
    /// below are the small ones of each provider, in November 2026.
    pub const OPENAI: &str = env::OPENAI;
    /// The model that [`from_env`](Self::from_env) uses for `ANTHROPIC_API_KEY`.
    pub const ANTHROPIC: &str = env::ANTHROPIC;
    /// The model that [`from_env`](Self::from_env) uses for `GEMINI_API_KEY`.
    pub const GEMINI: &str = env::GEMINI;
    /// The model that [`from_env`](Self::from_env) uses for `OLLAMA_HOST`; `ollama pull gemma4:e2b`
    /// fetches it.
    pub const OLLAMA: &str = env::OLLAMA;

    /// Creates an agent for `model`, written as `provider/model`.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](extract::agent::AgentErrorKind::Unavailable) for a name without a provider,
    /// or with one that has no profile. A missing key is an error of the first request.
    ///
    /// ```
    /// use extract::Agent;
    /// use extract_agents::ProviderAgent;
    ///
    /// assert_eq!(ProviderAgent::new("openai/gpt-6-luna")?.name(), "openai/gpt-6-luna");
    /// let error = ProviderAgent::new("gpt-6-luna").unwrap_err();
    /// assert!(error.message().starts_with("`gpt-6-luna` names no provider; write `provider/gpt-6-luna`"));
    /// # Ok::<(), extract::agent::AgentError>(())
    /// ```
    pub fn new(model: impl AsRef<str>) -> Result<Self, AgentError> {
        let (profile, model) = parse(model.as_ref())?;
        Ok(Self::of(&profile, model, env::variable))
    }

    /// Creates an agent for a model on another server with the interface of a provider, such as
    /// `ollama/gemma3` or `vllm/my-model`. For a server without a profile there is
    /// [`OpenAiCompatible`](crate::OpenAiCompatible).
    ///
    /// `url` is the part before the name of the method, such as `http://gpu-1:8000/v1`. The key is
    /// read from the variable of the provider, and may be missing.
    ///
    /// A server at another address than a provider's own may be of another kind, such as vLLM for
    /// `openai/my-model`. So the schema is sent in the provider's form, but the server is not
    /// expected to show it to the model, and the prompt has the descriptions of the keys too.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new), and a `url` that starts with neither `http://` nor
    /// `https://`.
    ///
    /// ```
    /// use extract::Agent;
    /// use extract_agents::ProviderAgent;
    ///
    /// let agent = ProviderAgent::at("http://gpu-1:11434", "ollama/gemma3")?;
    /// assert_eq!(agent.name(), "ollama/gemma3");
    /// assert!(ProviderAgent::at("gpu-1:11434", "ollama/gemma3").is_err());
    /// # Ok::<(), extract::agent::AgentError>(())
    /// ```
    pub fn at(url: impl AsRef<str>, model: impl AsRef<str>) -> Result<Self, AgentError> {
        let (mut profile, model) = parse(model.as_ref())?;
        profile.needs_key = false;
        Self::of(&profile, model, env::variable).moved(url.as_ref())
    }

    /// Returns the agent that the environment asks for: `EXTRACT_AGENT=provider/model`, otherwise a
    /// small model for the first variable that is set of `OPENAI_API_KEY`, `ANTHROPIC_API_KEY`,
    /// `GEMINI_API_KEY` and `OLLAMA_HOST`. `None` if none is set. An empty variable counts as not
    /// set.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new), for the value of `EXTRACT_AGENT`.
    pub fn from_env() -> Result<Option<Self>, AgentError> {
        env::model(env::variable).map(Self::new).transpose()
    }

    pub(super) fn of(profile: &Profile, model: &str, variable: impl Fn(&str) -> Option<String>) -> Self {
        let address = env::address(profile.address, &variable);
        let key = profile.key_variables.iter().find_map(|name| variable(name));
        let enforces_at_most =
            address.as_deref().map_or(Enforcement::Provider, |url| at_address(profile, url));
        Self {
            profile: *profile,
            name: format!("{}/{model}", profile.name).into(),
            model: model.into(),
            learned: learned::of_model(address.as_deref().unwrap_or_default(), model),
            address: address.map(Into::into).map_err(Into::into),
            key: key.map(|key| key.trim().into()),
            headers: Vec::new(),
            settings: Settings::default(),
            structured_output: StructuredOutput::default(),
            observer: None,
            http: Http::default(),
            kept: Arc::default(),
            enforces_at_most,
        }
    }

    pub(super) fn moved(self, url: &str) -> Result<Self, AgentError> {
        Target::new(url).map_err(|failure| error_of(&failure))?;
        let learned = learned::of_model(url, &self.model);
        let enforces_at_most = at_address(&self.profile, url);
        Ok(Self { address: Ok(url.into()), learned, kept: Arc::default(), enforces_at_most, ..self })
    }

    fn with_settings(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        Self { kept: Arc::default(), ..self }
    }

    /// Returns the profile of the server.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Sets the key, instead of the one in the environment.
    #[must_use]
    pub fn key(self, key: impl AsRef<str>) -> Self {
        Self { key: Some(key.as_ref().trim().into()), kept: Arc::default(), ..self }
    }

    /// Adds a header to every request. Its value counts as a secret.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](extract::agent::AgentErrorKind::Unavailable) for a name or value that HTTP
    /// does not allow.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Result<Self, AgentError> {
        let (name, value) = (name.into(), value.into());
        Target::new("http://localhost/")
            .and_then(|target| target.header(&name, &value))
            .map_err(|failure| error_of(&failure))?;
        self.headers.push((name, value));
        Ok(Self { kept: Arc::default(), ..self })
    }

    /// Adds members to the body of every request. Objects are merged with those that the agent
    /// sends, and anything else takes precedence over what it sends.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](extract::agent::AgentErrorKind::Unavailable) if `members` is not an object,
    /// or has a member that the agent decides, such as the conversation.
    ///
    /// ```
    /// use extract_agents::ProviderAgent;
    /// use serde_json::json;
    ///
    /// let agent = ProviderAgent::new("openai/gpt-6-luna")?.body(json!({"service_tier": "flex"}))?;
    /// assert!(agent.body(json!({"messages": []})).is_err());
    /// # Ok::<(), extract::agent::AgentError>(())
    /// ```
    pub fn body(self, members: Value) -> Result<Self, AgentError> {
        let Value::Object(members) = members else {
            return Err(AgentError::unavailable("the members of a body have to be a JSON object"));
        };
        if let Some(name) = OWN_MEMBERS.iter().find(|name| members.contains_key(**name)) {
            return Err(AgentError::unavailable(format!("`{name}` of the body is the agent's own")));
        }
        Ok(self.with_settings(|settings| {
            let mut all = Map::new();
            std::mem::swap(&mut all, &mut settings.body);
            all.extend(members);
            settings.body = all;
        }))
    }

    /// Sets the seed of the sampler, for servers that take one.
    #[must_use]
    pub fn seed(self, seed: i64) -> Self {
        self.with_settings(|settings| settings.seed = Some(seed))
    }

    /// Samples from the likeliest tokens whose probabilities add up to this value.
    #[must_use]
    pub fn top_p(self, top_p: f64) -> Self {
        self.with_settings(|settings| settings.top_p = Some(top_p))
    }

    /// Sets whether requests have breakpoints for the cache of a provider that caches only then
    /// ([`Caching::Breakpoints`](crate::Caching::Breakpoints)); `true` by default. Writing to the
    /// cache costs a quarter more there, and reading from it a tenth: it pays from the second
    /// question with the same instructions on.
    #[must_use]
    pub fn caching(self, caches: bool) -> Self {
        self.with_settings(|settings| settings.caches = caches)
    }

    /// Sets the length of the context in tokens, for Ollama. By default it follows from the length
    /// of the question, rounded up to a power of two.
    #[must_use]
    pub fn context_length(self, tokens: u32) -> Self {
        self.with_settings(|settings| settings.context_length = Some(tokens))
    }

    /// Sets whether to send the schema in the server's native form;
    /// [`Auto`](StructuredOutput::Auto) by default.
    #[must_use]
    pub fn structured_output(self, structured_output: StructuredOutput) -> Self {
        Self { structured_output, kept: Arc::default(), ..self }
    }

    /// Asks for the log probabilities of the tokens of each reply, not only if the request asks for
    /// them, as one with [`Confidence`](extract::Confidence) does; where the
    /// [profile](Profile::log_probabilities) says that the server has them. They are in the
    /// [reply](extract::agent::Reply::token_probabilities) and in the
    /// [record](extract::AttemptRecord::token_probabilities) of the attempt.
    #[must_use]
    pub fn log_probabilities(self, asks: bool) -> Self {
        self.with_settings(|settings| settings.asks_log_probabilities = asks)
    }

    /// Calls `observe` for every reply, with the headers of the response and the bytes of the
    /// request.
    ///
    /// ```
    /// use extract_agents::ProviderAgent;
    ///
    /// let agent = ProviderAgent::new("openai/gpt-6-luna")?.observe(|answered| {
    ///     println!("{:?} tokens left", answered.header("x-ratelimit-remaining-tokens"));
    ///     println!("{:?} USD", answered.reply.reported_cost());
    /// });
    /// # Ok::<(), extract::agent::AgentError>(())
    /// ```
    #[must_use]
    pub fn observe(self, observe: impl Fn(&Answered<'_>) + Send + Sync + 'static) -> Self {
        Self { observer: Some(Arc::new(observe)), ..self }
    }

    /// Sends requests through the HTTP proxy at `url`, such as `http://user:password@proxy:3128`.
    /// Without this, the variables `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` decide, in
    /// either case, as they are when the first agent of the process is created. Encrypted requests
    /// pass through a tunnel, so the proxy sees neither key nor prompt.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](extract::agent::AgentErrorKind::Unavailable) if `url` does not start with
    /// `http://`.
    ///
    /// ```
    /// use extract_agents::ProviderAgent;
    ///
    /// let agent = ProviderAgent::new("openai/gpt-6-luna")?.proxy("http://proxy:3128")?;
    /// assert!(agent.proxy("socks5://proxy:1080").is_err());
    /// # Ok::<(), extract::agent::AgentError>(())
    /// ```
    pub fn proxy(self, url: impl AsRef<str>) -> Result<Self, AgentError> {
        let url = url.as_ref();
        if !url.starts_with("http://") {
            return Err(AgentError::unavailable("the address of a proxy has to start with `http://`"));
        }
        Ok(Self { http: self.http.through(Some(url)).map_err(|failure| error_of(&failure))?, ..self })
    }

    /// Sends requests directly, whatever the variables for proxies say.
    #[must_use]
    pub fn no_proxy(self) -> Self {
        let http = self.http.clone().through(None);
        Self { http: http.unwrap_or(self.http), ..self }
    }

    /// Trusts the certificates in `pem` too, besides those of Mozilla: for a server or a proxy whose
    /// certificate is signed by an authority of your own.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](extract::agent::AgentErrorKind::Unavailable) if `pem` has no certificate, or
    /// one that cannot be read.
    ///
    /// ```no_run
    /// use extract_agents::ProviderAgent;
    ///
    /// let agent = ProviderAgent::at("https://gpu-1:8000/v1", "vllm/my-model")?;
    /// let agent = agent.root_certificates(std::fs::read("our-authority.pem")?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn root_certificates(self, pem: impl AsRef<[u8]>) -> Result<Self, AgentError> {
        Ok(Self { http: self.http.trusting(pem.as_ref()).map_err(|failure| error_of(&failure))?, ..self })
    }

    /// Sets how long to wait for a connection; 10 seconds by default.
    #[must_use]
    pub fn connect_timeout(self, limit: Duration) -> Self {
        Self { http: self.http.connecting_within(limit), ..self }
    }

    /// Sets how long the server may be silent; 10 minutes by default.
    #[must_use]
    pub fn silence_timeout(mut self, limit: Duration) -> Self {
        self.http.limits.silence = limit;
        self
    }

    /// Sets the maximum bytes of the body of a response; 16 MiB by default, and eight times that
    /// for a stream. Reading a body may take many times that in memory.
    #[must_use]
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.http.limits.body = bytes;
        self
    }
}

impl ProviderAgent {
    /// How a schema is sent.
    pub(super) fn support(&self) -> SchemaSupport {
        match self.structured_output {
            StructuredOutput::Auto => {
                let support = self.profile.schema_of(&self.model);
                SchemaSupport { enforcement: support.enforcement.min(self.enforces_at_most), ..support }
            }
            StructuredOutput::Off => SchemaSupport::NONE,
            StructuredOutput::As(dialect) => {
                SchemaSupport { form: self.profile.schema.form, ..SchemaSupport::by_decoder(dialect) }
            }
        }
    }

    /// Where requests go.
    pub(super) fn target(&self, is_streamed: bool) -> Result<&Target, ProviderFailure> {
        let kept = if is_streamed { &self.kept.stream_target } else { &self.kept.target };
        if let Some(target) = kept.get() {
            return Ok(target);
        }
        let target = self.target_at(|address| self.profile.wire.url(address, &self.model, is_streamed))?;
        Ok(kept.get_or_init(|| target))
    }

    /// Returns the target at the URL that `url` makes of the server's address, with the headers of
    /// every request.
    pub(crate) fn target_at(&self, url: impl FnOnce(&str) -> String) -> Result<Target, ProviderFailure> {
        let profile = &self.profile;
        let address = self.address.as_deref().map_err(|name| {
            let message = format!("no address for `{}`: `{name}` is not set", self.name);
            ProviderFailure::new(AgentErrorKind::Unavailable, message)
        })?;
        let mut target = Target::new(&url(address))?;
        match (&self.key, profile.key_header) {
            (Some(key), KeyHeader::Bearer) => {
                target = target.header("authorization", &format!("Bearer {key}"))?;
            }
            (Some(key), KeyHeader::Named(name)) => target = target.header(name, key)?,
            (None, _) if profile.needs_key => {
                let names = profile.key_variables.join("` or `");
                let message = format!("no key for `{}`: `{names}` is not set", self.name);
                return Err(ProviderFailure::new(AgentErrorKind::Unavailable, message));
            }
            (None, _) => {}
        }
        for (name, value) in profile.headers {
            target = target.header(name, value)?;
        }
        for (name, value) in &self.headers {
            target = target.header(name, value)?;
        }
        Ok(target)
    }

    /// Returns the secrets that errors must not show: the key, the values of headers, and those in
    /// the address.
    pub(crate) fn keys(&self) -> Keys {
        let mut keys = Keys::of_environment();
        let headers = self.headers.iter().map(|(_, value)| value.clone());
        let address = self.address.iter().flat_map(|address| secrets_in_url(address));
        let all = self.key.iter().map(|key| String::from(&**key)).chain(headers).chain(address);
        all.filter(|secret| secret.len() >= SHORTEST_SECRET).for_each(|secret| keys.insert(&secret));
        keys
    }

    /// Refuses to call the server where that is forbidden or impossible.
    pub(crate) fn check_callable(&self) -> Result<(), AgentError> {
        guard::check(&self.name)?;
        // Without this the HTTP client would panic.
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(AgentError::unavailable(
                "no tokio runtime here; await the extraction inside one, such as `#[tokio::main]`",
            ));
        }
        Ok(())
    }

    /// The name of the model, as the server knows it.
    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    fn reply<'a>(&'a self, request: &'a Request, sink: Option<DeltaSink<'a>>) -> ReplyFuture<'a> {
        Box::pin(async move {
            self.check_callable()?;
            match self.ask(request, sink).await {
                Ok(reply) => Ok(reply),
                Err(failure) => failure.settle(&self.keys()),
            }
        })
    }

    fn constraint_of(&self, request: &Request) -> Constraint {
        let Some(schema) = &request.schema else { return Constraint::nothing() };
        let support = self.support();
        let is_refused = learned::locked(&self.learned).refused(schema);
        match self.kept.schemas.offered(schema, self.profile.wire, &support) {
            Some(Ok(offered)) if !is_refused => {
                let unenforced = offered.unenforced.clone();
                match support.enforcement {
                    Enforcement::Provider => Constraint::by_provider(unenforced),
                    Enforcement::Decoder => Constraint::by_decoder(unenforced),
                    // Types and allowed values have to be in the prompt too.
                    Enforcement::Requested => Constraint::nothing(),
                }
            }
            _ => Constraint::nothing(),
        }
    }
}

#[diagnostic::do_not_recommend]
impl Agent for ProviderAgent {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        self.reply(request, None)
    }

    fn stream<'a>(&'a self, request: &'a Request, sink: DeltaSink<'a>) -> ReplyFuture<'a> {
        self.reply(request, Some(sink))
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.name)
    }

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::default();
        if self.profile.calls_tools {
            capabilities = capabilities.calling_tools();
        }
        if self.profile.thinking != ThinkingForm::None {
            capabilities = capabilities.setting_thinking();
        }
        if self.profile.continues_replies(&self.model) {
            capabilities = capabilities.continuing_replies();
        }
        if self.profile.log_probabilities {
            capabilities = capabilities.reporting_log_probabilities();
        }
        capabilities
    }

    /// By the provider or a decoder, if the schema is sent and known to be enforced.
    fn constraint<'a>(&'a self, request: &'a Request) -> ConstraintFuture<'a> {
        self.constraint_of(request).known()
    }
}

/// Keys, headers and the body's members are not shown.
impl fmt::Debug for ProviderAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderAgent").field("name", &self.name).finish_non_exhaustive()
    }
}

fn parse(name: &str) -> Result<(Profile, &str), AgentError> {
    let name = name.trim();
    let known = || Profile::ALL.map(|profile| profile.name).join(", ");
    let message = match name.split_once('/') {
        None => format!("`{name}` names no provider; write `provider/{name}`, with one of {}", known()),
        Some((_, "")) => format!("`{name}` names no model"),
        Some((provider, model)) => match Profile::find(provider) {
            Some(profile) => return Ok((profile, model)),
            None => format!("unknown provider `{provider}`; known are {}", known()),
        },
    };
    Err(AgentError::unavailable(message))
}

/// Who enforces schemas at `url` at most. A server at another address than the provider's own may
/// be of another kind, with a decoder that the model does not see. Ollama's cloud enforces nothing.
fn at_address(profile: &Profile, url: &str) -> Enforcement {
    let host = |url: &str| Some(Target::new(url).ok()?.uri.host()?.to_owned());
    let may_be_anywhere = profile.address.is_empty() || profile.address.contains('{');
    match host(url) {
        Some(host) if host == "ollama.com" => Enforcement::Requested,
        host_of_url if may_be_anywhere || host_of_url == host(profile.address) => Enforcement::Provider,
        _ => Enforcement::Decoder,
    }
}

fn error_of(failure: &ProviderFailure) -> AgentError {
    AgentError::new(failure.kind(), failure.message())
}

/// The values of the query, and the login before the `@`.
fn secrets_in_url(url: &str) -> Vec<String> {
    let (before, query) = url.split_once('?').unwrap_or((url, ""));
    let values = query.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value.to_owned());
    let authority = before.split_once("://").map_or("", |(_, rest)| rest.split('/').next().unwrap_or(""));
    let login = authority.rsplit_once('@').map(|(login, _)| login);
    let password = login.and_then(|login| login.split_once(':')).map(|(_, password)| password);
    values.chain(login.map(str::to_owned)).chain(password.map(str::to_owned)).collect()
}
