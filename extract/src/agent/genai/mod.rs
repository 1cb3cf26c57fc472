//! Providers, through the crate [`genai`].

mod calls;
mod convert;
mod endpoint;
mod env;
mod error;
mod model;
mod parts;
mod secrets;
mod stream;
mod structured;
#[cfg(test)]
mod tests;
mod thinking;

use std::{borrow::Cow, fmt, sync::Arc, time::Duration};

use genai::{Client, ModelSpec, WebConfig, adapter::AdapterKind, chat::ChatOptions, resolver::Endpoint};

pub use self::structured::StructuredOutput;
use self::{
    convert::Told,
    error::Failure,
    model::Model,
    structured::{NativePlan, Plan, Refused},
};
use super::{
    Agent, AgentError, Capabilities, Constraining, Constraint, DeltaSink, Reply, Request, Responding,
};
use crate::{
    agent::{
        guard,
        provider::{open_envelope, opening_envelope},
    },
    redaction::Keys,
};

/// Maximum time to open a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum time without a byte from the server, so that a dead server cannot block forever. A model
/// may think for minutes before its first byte: the Python clients of OpenAI and Anthropic also
/// wait ten minutes. [`Extraction::timeout`](crate::Extraction::timeout) limits a whole request.
const SILENCE: Duration = Duration::from_secs(600);

/// A model of any provider that the crate [`genai`] supports: OpenAI and servers with its API,
/// Anthropic, Gemini, Ollama and more. Feature `genai`.
///
/// # Models
///
/// | name | meaning |
/// |---|---|
/// | `provider/model` | that provider; `model` may contain more slashes, as in `groq/openai/gpt-oss-20b` |
/// | `provider::model` | the same, in the notation of `genai` |
/// | `model` | the provider that `genai` infers from the name, such as Anthropic from `claude-…`; a name that it does not recognise is taken for a model of Ollama |
///
/// Providers are named as in [`AdapterKind::as_lower_str`]; case and underscores do not matter.
/// `openai` is the Chat Completions API, which other servers have too. `openai_resp` is the
/// Responses API; a bare `gpt-…` of version 5 or later goes there. A suffix such as `-high` sets
/// the reasoning effort and is not sent; it takes precedence over the [thinking level](#thinking).
///
/// # Tools
///
/// With [`tools`](crate::Extraction::tools) the model gets `example`, `validate` and `submit` as
/// functions, for every provider whose API has them. Their parameters are the whole JSON Schema,
/// without strict mode. Data that the provider wants back with a call, such as the signature of a
/// thought, is sent back. If `genai` parses arguments (Chat Completions API) and they are not JSON,
/// the response is [garbled](super::AgentErrorKind::Garbled), because `genai` does not return them.
///
/// # Keys and endpoints
///
/// Keys come from the variable that `genai` reads for the provider, such as `OPENAI_API_KEY`.
/// `OLLAMA_HOST` is the address of Ollama. [`at`](Self::at) is for other servers, and
/// [`with_client`](Self::with_client) for anything else. Keys that `genai` resolves are redacted in
/// errors, even if a server repeats them. `Debug` omits the client.
///
/// # Requests and replies
///
/// System, user and assistant turns, temperature, and the limit of output tokens are sent. If the
/// model accepts no temperature, the provider refuses the request. Replies have text, finish reason
/// and the reported tokens, including cache reads, cache writes and reasoning. For some providers
/// `genai` trims white space around the text.
///
/// The [origin](super::Reply::origin) of a reply has the model and the response id if the response
/// names them. It lacks headers and status of a success, because `genai` 0.7.2 does not pass them
/// on; errors have both ([`status`](AgentError::status), [`request_id`](AgentError::request_id)).
///
/// The schema is in the prompt. If the provider has a [dialect](crate::schema::dialect::Dialect),
/// the schema is also sent in that dialect, and the provider's decoder is constrained to it. Only
/// the prompt has the schema if the dialect cannot express it, if the provider is not known to
/// accept one, or if it refused the schema (HTTP 400, 422 or 500; the request is then repeated once
/// without it). A [note](super::Reply::notes) says why.
/// [`structured_output`](Self::structured_output) turns this off. Validation checks the constraints
/// that the dialect does not enforce, and a note lists them. If the provider accepts only schemas
/// of objects, as OpenAI does, any other answer is requested as `{"answer": …}` and taken out of
/// that object, also while it is streamed. For structured output Ollama is asked over its
/// OpenAI-compatible API (`v1/`), because `genai` sends no schema over the other one.
///
/// Images and documents are passed to the provider in their order, in the form that it accepts; by
/// URL only if the provider fetches URLs. A part that it does not accept is an error that names the
/// part, before anything is sent.
///
/// # Thinking
///
/// A [thinking level](super::ThinkingLevel) is sent in the provider's form. A
/// [note](super::Reply::notes) says what cannot be sent:
///
/// | provider | levels | `Off` | `Budget` |
/// |---|---|---|---|
/// | OpenAI, servers with its API, Ollama | sent | sent | not sent |
/// | Anthropic | sent, `Minimal` as `Low`; as a budget where the model is too old for levels | sent where it is not the default | sent |
/// | Gemini 3 and later, its Interactions API | sent, `Max` as `High` | sent as `Minimal` | not sent |
/// | Gemini before 3 | sent as 1,000, 8,000 or 24,000 tokens | sent as 0 tokens | sent |
/// | Bedrock | sent to models of Anthropic, Amazon and OpenAI | sent where it is not the default | sent, not to OpenAI |
/// | Cohere | not sent | not sent | not sent |
///
/// # Refusals
///
/// A [refusal](super::Reply::is_refusal) has the provider's words, if it gives any:
///
/// | provider | where it reports a refusal |
/// |---|---|
/// | OpenAI and servers with its API | `refusal` of the message or of a part of it; finish reason `content_filter`, which has no words; an error with the code `content_filter` (Azure) or `content_policy_violation` |
/// | OpenAI's Responses API | parts of type `refusal`; a response that is incomplete because of `content_filter`, which has no words |
/// | Anthropic | stop reason `refusal`, with the explanation or the category in `stop_details` |
/// | Gemini | `promptFeedback.blockReason`; finish reasons such as `SAFETY`, `RECITATION`, `PROHIBITED_CONTENT`, `BLOCKLIST` and `SPII`; both with their message, if there is one |
///
/// Ollama and most other servers report no refusals: their models refuse in plain text, which is
/// judged like any other.
///
/// # Streams
///
/// When a reply is [streamed](Agent::stream), text is sent as it arrives from the provider, without
/// the model's thoughts. Reply, errors and notes are the same as without streaming. A stream that
/// ends without its end marker is a failure, not a short reply. OpenAI's Responses API repeats the
/// text at the end of the response, and that text takes precedence over the deltas: if they differ,
/// the stream restarts with it. A reply that [only repeats itself](super::RepetitionWatch) is
/// ended. Its tokens are estimated, because the provider reports them only at the end of a stream.
///
/// `genai` 0.7.2 limits streams in three ways:
///
/// - It loses the body of a successful response without events. A server that does not stream, or
///   that reports its error in plain JSON, is [`Garbled`](super::AgentErrorKind::Garbled) without
///   its own words.
/// - It loses the name of an event of Anthropic if lines end with CR LF and a packet ends between
///   the two. That is a failure here.
/// - It holds an event that never ends in memory, and reads it again with each packet. Set a
///   [`timeout`](crate::Extraction::timeout) for a server that is not trusted.
///
/// Servers with the API of OpenAI are asked for the usage with `stream_options`. A server that does
/// not send `[DONE]` at the end cannot be streamed.
///
/// # Limits
///
/// Nothing is retried here; the extraction does that. Only two times are limited: the connection
/// (10 seconds) and silence of the server (10 minutes). A [client of your own](Self::with_client)
/// has its own limits. Redirects are not followed, because a key would travel with them. `genai`
/// reads the whole body of a response into memory, however long it is, before anything is judged.
/// It accepts only the client of `reqwest`, which has no limit. For a server that is not trusted,
/// set a [`timeout`](crate::Extraction::timeout).
///
/// # Errors
///
/// - [`Unavailable`](super::AgentErrorKind::Unavailable): no tokio runtime, no key, an unknown
///   provider
/// - [`Refused`](super::AgentErrorKind::Refused): 4xx, such as a wrong key or an unknown model, and
///   an exhausted quota
/// - [`TooLong`](super::AgentErrorKind::TooLong): 413, and a 4xx that speaks of the length of the
///   prompt
/// - [`RateLimited`](super::AgentErrorKind::RateLimited): 429, with the wait that `Retry-After` or
///   the body asks for
/// - [`Transport`](super::AgentErrorKind::Transport): no connection, a broken one, 5xx, an error in
///   a 200
/// - [`Timeout`](super::AgentErrorKind::Timeout): no connection within 10 seconds, nothing sent for
///   10 minutes, 408
/// - [`Garbled`](super::AgentErrorKind::Garbled): a body that is not JSON, or not a reply, or not
///   UTF-8
///
/// In a process that called [`deny_real_agents`](crate::testing::deny_real_agents), it refuses
/// before anything is sent.
///
/// # Runtime
///
/// Must be awaited inside a tokio runtime with IO and time enabled, such as `#[tokio::main]`
/// starts. Outside any runtime it is an error; a tokio runtime without IO or time panics and says
/// so.
///
/// ```no_run
/// use extract::{Contract, agent::GenaiAgent};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = GenaiAgent::new("anthropic/claude-haiku-5-5")?;
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let (answer, metrics) = contract.extract(&agent, "How many legs has a spider?").await?;
/// println!("{answer} ({metrics})");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct GenaiAgent {
    client: Client,
    model: Model,
    structured_output: StructuredOutput,
    /// Whether requests go to the provider's own endpoint. A client of the user may send them to
    /// another server with the same API, which need not behave like the provider.
    is_own_endpoint: bool,
    refused: Arc<Refused>,
}

impl GenaiAgent {
    /// The model that [`from_env`](Self::from_env) uses for `OPENAI_API_KEY`. This and the models
    /// below are the small ones of `genai` 0.7.2's own example (`c00-readme`).
    pub const OPENAI: &str = "openai/gpt-6-luna";
    /// The model that [`from_env`](Self::from_env) uses for `ANTHROPIC_API_KEY`.
    pub const ANTHROPIC: &str = "anthropic/claude-haiku-5-5";
    /// The model that [`from_env`](Self::from_env) uses for `GEMINI_API_KEY`.
    pub const GEMINI: &str = "gemini/gemini-3.5-flash-lite";
    /// The model that [`from_env`](Self::from_env) uses for `OLLAMA_HOST`; `ollama pull gemma4:e2b`
    /// fetches it.
    pub const OLLAMA: &str = "ollama/gemma4:e2b";

    /// Creates an agent for `model`, written as `provider/model`. Keys and the address of Ollama
    /// come from the environment.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](super::AgentErrorKind::Unavailable) for an unknown provider, an empty name,
    /// or when the HTTP client cannot be set up. A missing key is an error of the first request.
    ///
    /// ```
    /// use extract::agent::{Agent, GenaiAgent};
    ///
    /// assert_eq!(GenaiAgent::new("openai/gpt-6-luna")?.name(), "openai/gpt-6-luna");
    /// assert_eq!(GenaiAgent::new("claude-haiku-5-5")?.name(), "anthropic/claude-haiku-5-5");
    /// assert!(GenaiAgent::new("opnai/gpt-6-luna").is_err());
    /// # Ok::<(), extract::agent::AgentError>(())
    /// ```
    pub fn new(model: impl AsRef<str>) -> Result<Self, AgentError> {
        Self::with_default_client(env::variable, model)
    }

    fn with_default_client(
        variable: impl Fn(&str) -> Option<String>,
        model: impl AsRef<str>,
    ) -> Result<Self, AgentError> {
        Ok(Self { is_own_endpoint: true, ..Self::with_client(default_client(variable)?, model)? })
    }

    /// Creates an agent with your own client: another endpoint, another way to authenticate, a
    /// proxy.
    ///
    /// A client that is bound to one provider
    /// ([`ClientBuilder::with_adapter_kind`](genai::ClientBuilder::with_adapter_kind)) gets `model`
    /// as it is, including slashes. Headers that you add to the client's options are unknown here,
    /// so they are not redacted if a server repeats them in an error.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](super::AgentErrorKind::Unavailable) for an unknown provider or an empty
    /// name.
    ///
    /// ```
    /// use extract::agent::{Agent, GenaiAgent, genai_crate as genai};
    /// use genai::{adapter::AdapterKind, resolver::{AuthData, Endpoint}};
    ///
    /// // A server that speaks like OpenAI. The slash at the end of the endpoint matters.
    /// let server = Endpoint::from_static("http://localhost:8000/v1/");
    /// let client = genai::Client::builder()
    ///     .append_provider_config(AdapterKind::OpenAI, (server, AuthData::from_env("MY_KEY")))
    ///     .build()?;
    /// let agent = GenaiAgent::with_client(client, "openai/my-model")?;
    /// assert_eq!(agent.name(), "openai/my-model");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_client(client: Client, model: impl AsRef<str>) -> Result<Self, AgentError> {
        let model = Model::parse(model.as_ref(), client.adapter_kind())?;
        let structured_output = StructuredOutput::Auto;
        Ok(Self { client, model, structured_output, is_own_endpoint: false, refused: Arc::default() })
    }

    /// Sets whether to send the schema in the provider's native form;
    /// [`Auto`](StructuredOutput::Auto) by default.
    ///
    /// ```
    /// use extract::agent::{GenaiAgent, StructuredOutput};
    ///
    /// let agent = GenaiAgent::new("openai/gpt-6-luna")?.structured_output(StructuredOutput::Off);
    /// # Ok::<(), extract::agent::AgentError>(())
    /// ```
    #[must_use]
    pub fn structured_output(mut self, structured_output: StructuredOutput) -> Self {
        self.structured_output = structured_output;
        self
    }

    /// Returns the agent that the environment asks for: `EXTRACT_AGENT=provider/model`, otherwise
    /// the default model of the first variable that is set of `OPENAI_API_KEY`,
    /// `ANTHROPIC_API_KEY`, `GEMINI_API_KEY` and `OLLAMA_HOST`. `None` if none is set. An empty
    /// variable counts as not set.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), if `EXTRACT_AGENT` names no provider that `genai` knows.
    ///
    /// ```
    /// use extract::agent::{Agent, GenaiAgent};
    ///
    /// match GenaiAgent::from_env()? {
    ///     Some(agent) => println!("asking {}", agent.name()),
    ///     None => println!("set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or OLLAMA_HOST"),
    /// }
    /// # Ok::<(), extract::agent::AgentError>(())
    /// ```
    pub fn from_env() -> Result<Option<Self>, AgentError> {
        Self::from_variables(env::variable)
    }

    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, AgentError> {
        env::model(&variable).map(|model| Self::with_default_client(&variable, model)).transpose()
    }

    async fn ask(&self, request: &Request, mut sink: Option<DeltaSink<'_>>) -> Result<Reply, Failure> {
        let (options, thinking) = convert::to_options(request, &self.model);
        let noted = |reply: Reply| thinking.into_iter().fold(reply, Reply::with_note);
        let Some(plan) = self.plan(request).await else {
            return Ok(noted(self.send(self.model.spec(), options, request, &mut sink, false).await?));
        };
        let (note, is_suspected) = match plan {
            Plan::Prompt(note) => (note, None),
            Plan::Native(native) => {
                let NativePlan { model, format, note, is_enveloped } = *native;
                let is_rerouted = matches!(model, ModelSpec::Target(_));
                let native = options.clone().with_response_format(format);
                match self.send(model, native, request, &mut sink, is_enveloped).await {
                    Err(failure) if failure.may_be_about_the_schema(is_rerouted) => {
                        let is_suspected = failure.is_of_the_server();
                        let error = failure.without(&self.secrets().await);
                        (
                            format!(
                                "the schema was refused, so it is left to the prompt: {}",
                                error.message()
                            ),
                            Some(is_suspected),
                        )
                    }
                    result => {
                        let reply = noted(note.into_iter().fold(result?, Reply::with_note));
                        request.schema.as_deref().into_iter().for_each(|schema| self.refused.clear(schema));
                        return Ok(reply);
                    }
                }
            }
        };
        let derive_support = request.describing_schema();
        let reply = self.send(self.model.spec(), options, &derive_support, &mut sink, false).await?;
        // The reply without the schema shows that the schema was the reason.
        if let Some((schema, is_suspected)) = request.schema.as_deref().zip(is_suspected) {
            self.refused.remember(schema, is_suspected);
        }
        Ok(noted(reply.with_note(note)))
    }

    /// Returns how the schema of `request` is sent; `None` without a schema.
    async fn plan(&self, request: &Request) -> Option<Plan> {
        match self.structured_output {
            StructuredOutput::Auto => {
                structured::plan(&self.client, &self.model, request, &self.refused).await
            }
            StructuredOutput::Off => None,
        }
    }

    /// Sends the request. If it `is_enveloped`, the reply is an object around the answer.
    async fn send(
        &self,
        model: ModelSpec,
        options: ChatOptions,
        request: &Request,
        sink: &mut Option<DeltaSink<'_>>,
        is_enveloped: bool,
    ) -> Result<Reply, Failure> {
        let chat = convert::to_chat(request, &self.model)?;
        let (response, told) = match sink {
            None => (self.client.exec_chat(model, chat, Some(&options)).await?, Told::default()),
            Some(sink) => {
                let sink = sink.restart();
                let sink = if is_enveloped { opening_envelope(sink) } else { sink };
                stream::exec_chat(&self.client, model, chat, options, sink).await?
            }
        };
        let reply = convert::to_reply(response, told, request)?;
        Ok(if is_enveloped { open_envelope(reply) } else { reply })
    }

    fn constraint_of(&self, request: &Request) -> Constraint {
        match structured::unenforced(&self.model, request, &self.refused) {
            None => Constraint::nothing(),
            Some(unenforced) if self.is_own_endpoint && structured::shows_schema(self.model.kind()) => {
                Constraint::by_provider(unenforced)
            }
            Some(unenforced) => Constraint::by_decoder(unenforced),
        }
    }

    /// The secrets to redact in errors. They are resolved again after a failure, because `genai`
    /// does not report what it used.
    async fn secrets(&self) -> Keys {
        let target = self.client.resolve_service_target(self.model.spec()).await;
        target.map_or_else(|_| Keys::of_environment(), secrets::keys_of)
    }
}

impl GenaiAgent {
    fn reply<'a>(&'a self, request: &'a Request, sink: Option<DeltaSink<'a>>) -> Responding<'a> {
        Box::pin(async move {
            guard::check(&self.name())?;
            // Without this the HTTP client would panic.
            if tokio::runtime::Handle::try_current().is_err() {
                return Err(AgentError::unavailable(
                    "no tokio runtime here; await the extraction inside one, such as `#[tokio::main]`",
                ));
            }
            match self.ask(request, sink).await {
                Ok(reply) => Ok(reply),
                Err(failure) => failure.settled(&self.secrets().await),
            }
        })
    }
}

#[diagnostic::do_not_recommend]
impl Agent for GenaiAgent {
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
        self.reply(request, None)
    }

    fn stream<'a>(&'a self, request: &'a Request, sink: DeltaSink<'a>) -> Responding<'a> {
        self.reply(request, Some(sink))
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.model.name())
    }

    fn capabilities(&self) -> Capabilities {
        let capabilities = Capabilities::default().calling_tools();
        if thinking::is_sent(self.model.kind()) { capabilities.setting_thinking() } else { capabilities }
    }

    /// By the provider, or by the decoder of another server, if the schema is sent.
    fn constraint<'a>(&'a self, request: &'a Request) -> Constraining<'a> {
        let constraint = match self.structured_output {
            StructuredOutput::Auto => self.constraint_of(request),
            StructuredOutput::Off => Constraint::nothing(),
        };
        constraint.known()
    }
}

/// The client holds keys, so `Debug` omits it.
impl fmt::Debug for GenaiAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenaiAgent").field("model", &self.model.name()).finish_non_exhaustive()
    }
}

fn default_client(variable: impl Fn(&str) -> Option<String>) -> Result<Client, AgentError> {
    let mut builder = Client::builder().with_reqwest(bounded_http()?);
    if let Some(host) = variable(env::OLLAMA_HOST) {
        let endpoint = Endpoint::from_owned(env::ollama_endpoint(&host));
        builder = builder.append_provider_config(AdapterKind::Ollama, endpoint);
    }
    builder.build().map_err(|error| AgentError::unavailable(error.to_string()))
}

/// An HTTP client with the limits of this agent.
fn bounded_http() -> Result<reqwest::Client, AgentError> {
    limited(WebConfig::default().apply_to_builder(reqwest::Client::builder()), SILENCE)
        .build()
        .map_err(|error| AgentError::unavailable(format!("no HTTP client: {error}")).with_source(error))
}

fn limited(http: reqwest::ClientBuilder, silence: Duration) -> reqwest::ClientBuilder {
    let http = http.connect_timeout(CONNECT_TIMEOUT).read_timeout(silence);
    http.redirect(reqwest::redirect::Policy::none())
}
