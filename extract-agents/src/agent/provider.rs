//! The agent: how it is created, and what the loop asks of it.

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, OnceLock},
};

use extract::{
    agent::{
        Agent, AgentError, Capabilities, Constraint, ConstraintFuture, DeltaSink, ReplyFuture, Request,
        guard, provider::ProviderFailure,
    },
    schema::dialect::Dialect,
};

use super::{
    answered::Answered,
    env,
    learned::{self, SharedLearned},
    schemas::Schemas,
};
use crate::{
    format::ThinkingForm,
    http::{HttpClient, Target},
    profile::{Enforcement, Profile, SchemaSupport},
    wire::{Heads, RequestSettings},
};

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
///   model, no money left, and a used-up quota of a day or longer; a response that is compressed or
///   has too many headers
/// - [`TooLong`](extract::agent::AgentErrorKind::TooLong): 413, an error that speaks of the length of
///   the prompt, and a reply to a prompt that the server cut: its count of input tokens is below a
///   third of an estimate
/// - [`RateLimited`](extract::agent::AgentErrorKind::RateLimited): 429, with the wait that
///   `Retry-After` or the body asks for, or else until a used-up limit is reset, as headers say
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
    pub(super) settings: RequestSettings,
    pub(super) structured_output: StructuredOutput,
    pub(super) observer: Option<Arc<AnswerObserver>>,
    pub(crate) http: HttpClient,
    pub(super) learned: SharedLearned,
    /// Values that depend on the settings, computed once.
    pub(super) kept: Arc<KeptTargets>,
    /// Who enforces schemas at this address, whatever the profile says.
    pub(super) enforces_at_most: Enforcement,
}

pub(super) type AnswerObserver = dyn Fn(&Answered<'_>) + Send + Sync;

#[derive(Default)]
pub(super) struct KeptTargets {
    pub(super) heads: Heads,
    pub(super) schemas: Schemas,
    pub(super) target: OnceLock<Target>,
    pub(super) stream_target: OnceLock<Target>,
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
    /// Its address is the provider's own, or that in the variable which the provider's clients read:
    /// `OPENAI_BASE_URL` with the version, as in `https://gateway.example/v1`, `ANTHROPIC_BASE_URL` and
    /// `GOOGLE_GEMINI_BASE_URL` without it. That is like [`at`](Self::at).
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
        let name = model.as_ref();
        let (profile, model) = parse(name)?;
        match profile.address_of_environment() {
            Some(url) => Self::at(url, name),
            None => Ok(Self::of(&profile, model, env::variable)),
        }
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
            settings: RequestSettings::default(),
            structured_output: StructuredOutput::default(),
            observer: None,
            http: HttpClient::default(),
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

    /// Returns the profile of the server.
    pub fn profile(&self) -> &Profile {
        &self.profile
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

    fn reply<'a>(&'a self, request: &'a Request, mut sink: Option<DeltaSink<'a>>) -> ReplyFuture<'a> {
        Box::pin(async move {
            self.check_callable()?;
            match self.ask(request, &mut sink).await {
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
        let is_refused = learned::locked(&self.learned).refuses_prefill();
        if self.profile.continues_replies(&self.model) && !is_refused {
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

pub(super) fn error_of(failure: &ProviderFailure) -> AgentError {
    AgentError::new(failure.kind(), failure.message())
}
