//! The models and agents of rig.

mod calls;
mod convert;
mod error;
mod http;
mod seen;
mod stream;
mod structured;
#[cfg(test)]
mod tests;
mod thinking;
#[cfg(test)]
pub(super) use self::tests::for_faults;

use std::{borrow::Cow, fmt, sync::Arc};

use rig_core::{
    DynModel, Model,
    completion::{CompletionRequest, CompletionResponse},
    driver::Transport,
    error::ProviderError,
    observe::AdapterContext,
    operation::Completion,
    wire::Wire,
};

pub use self::http::BoundedHttp;
use self::{convert::RigRequest, seen::Seen};
use super::{
    Agent, Capabilities, Constraining, DeltaSink, Reply, Request, Responding, ThinkingLevel,
    provider_error::Failure, stream_whole,
};
use crate::{
    agent::{envelope, guard},
    redaction::Keys,
};

/// A completion model or an agent of [rig](https://docs.rs/rig-core), with settings. Feature `rig`,
/// which needs Rust 1.95 and rig 0.44.
///
/// The settings are seldom needed: a completion model of rig ([`Model`], [`DynModel`]) and an agent
/// of rig ([`rig_agent::Agent`]) are agents themselves, and are asked with the defaults of this
/// type.
///
/// # From rig's `Extractor`
///
/// Before, with rig alone. An answer that does not fit is requested again, without saying what was
/// wrong:
///
/// ```no_run
/// # use extract::agent::{rig_agent, rig_core};
/// # use rig_core::schemars;
/// use rig_agent::extractor::ExtractorBuilder;
/// use rig_core::providers::openai::OpenAI;
///
/// #[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
/// struct Person {
///     name: String,
///     age: u8,
/// }
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let model = OpenAI::from_env()?.completion("gpt-6-luna");
/// let person = ExtractorBuilder::<Person>::new(model).retries(2).build().extract("John is 30.").await?.output;
/// println!("{} is {}", person.name, person.age);
/// # Ok(())
/// # }
/// ```
///
/// After. Besides the derive, only the line that extracts changes:
///
/// ```no_run
/// # use extract::agent::rig_core;
/// use extract::Extractable;
/// use rig_core::providers::openai::OpenAI;
///
/// #[derive(serde::Deserialize, serde::Serialize, Extractable)]
/// struct Person {
///     name: String,
///     age: u8,
/// }
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let model = OpenAI::from_env()?.completion("gpt-6-luna");
/// let (person, _) = Person::extract(&model, "John is 30.").max_attempts(3).await?;
/// println!("{} is {}", person.name, person.age);
/// # Ok(())
/// # }
/// ```
///
/// Ask an existing `Extractor` through its agent: `Person::extract(extractor.agent(), "John is
/// 30.")`.
///
/// # What is sent and what comes back
///
/// System, user and assistant turns, temperature, and the limit of output tokens are sent. For an
/// agent, the last turn is the prompt, and the turns before it are its history, after its own
/// preamble. Explicit history bypasses the agent's memory. Its documents, tools and hooks work as
/// usual, and its own temperature and limit apply if the extraction sets none.
///
/// A model gets the schema as native structured output (rig's `output_schema`), in the
/// [dialect](crate::schema::dialect::Dialect) of its provider: OpenAI, Azure, OpenRouter, Groq,
/// xAI, Mistral, Together, Anthropic, Gemini, Ollama and llama.cpp. A [note](super::Reply::notes)
/// lists the unenforced constraints, or says why the schema is not sent. If a provider accepts only
/// objects, any other answer is requested as `{"answer": …}` and taken out of that object. The
/// prompt has the schema in any case, and the whole schema judges the reply. Agents of rig fix
/// their schema when they are built, so they do not get it.
///
/// With [`tools`](crate::Extraction::tools) a model gets `example`, `validate` and `submit`. An
/// agent has tools of its own, so it is asked for text.
///
/// Replies have text, finish reason and the reported tokens; for an agent, the tokens of all its
/// turns and the finish reason of the last. If the run of an agent fails, its tokens are lost,
/// because rig does not report them. rig also fails the run of an agent if the provider gives no
/// finish reason or an unknown one; such a reply of a model is judged as usual.
///
/// The [origin](super::Reply::origin) of a reply has the model, the response id and, from the
/// headers, the request id, as far as the provider names them; for an agent, those of its last
/// turn. For a model it also has the HTTP status, which rig does not pass on from an agent.
///
/// A [thinking level](super::ThinkingLevel) is rig's option `reasoning`. If the model does not
/// accept it, it is asked without the level, and a note has the reason.
///
/// A [refusal](super::Reply::is_refusal) of a model is recognised by what its provider reports:
///
/// - OpenAI: `refusal` in a message or a part of it; its words are also the text of the reply
/// - Anthropic: the stop reason `refusal` with its explanation
/// - Gemini: a block reason, or a finish reason such as `SAFETY`
/// - the finish reason `content_filter`, without words
/// - an error with the code `content_filter` or `content_policy_violation`
///
/// If Gemini blocks a prompt for the reason `OTHER`, rig makes a transient failure of it. For a
/// failed turn of an agent, rig reports only a text, which names the finish reason but not always
/// the words. If Anthropic refuses in the middle of an answer and explains it, the text does not
/// say so, and the reply is [garbled](super::AgentErrorKind::Garbled).
///
/// When a reply is [streamed](Agent::stream), a model sends text as it arrives from the provider,
/// without its thoughts, and the reply is the same as without streaming. The exception is a reply
/// that [only repeats itself](super::RepetitionWatch): it is ended, and its tokens are estimated,
/// because rig has them only at the end. An agent, which may take several turns, sends its reply as
/// one delta.
///
/// There are no retries and no time limits here: the extraction has both. The HTTP client decides
/// how much of a response is read: rig's own client reads all of it, [`BoundedHttp`] does not.
///
/// # Keys
///
/// `Debug` omits the model. Errors contain no URLs, nothing that looks like a key, and no values of
/// variables that are named like keys (`OPENAI_API_KEY`). If a server might repeat any other key in
/// an error, name the key with [`redacting`](Self::redacting), because rig does not expose it.
/// [`BoundedHttp`] sees the keys that it sends, and redacts them in failures. What rig itself logs
/// (`tracing`), such as the message of an error in a 200, is not redacted.
///
/// # Errors
///
/// - [`Refused`](super::AgentErrorKind::Refused): 4xx, such as a wrong key or an unknown model, an
///   exhausted quota, a turn that the provider failed, an agent that is out of turns or was stopped
/// - [`TooLong`](super::AgentErrorKind::TooLong): 413, and a 4xx that speaks of the length of the
///   prompt
/// - [`RateLimited`](super::AgentErrorKind::RateLimited): 429, with the wait that `Retry-After` or
///   the body asks for
/// - [`Transport`](super::AgentErrorKind::Transport): no connection, a broken one, 5xx, an error in
///   a 200
/// - [`Timeout`](super::AgentErrorKind::Timeout): 408, and a time limit of the HTTP client; from an
///   agent the latter is [`Transport`](super::AgentErrorKind::Transport)
/// - [`Garbled`](super::AgentErrorKind::Garbled): a body that is not JSON, not a reply, not UTF-8,
///   or too long; a call of a tool that does not exist
///
/// In a process that called [`deny_real_agents`](crate::testing::deny_real_agents), it refuses
/// before anything is sent.
#[derive(Clone)]
pub struct RigAgent {
    source: Source,
    name: String,
    secrets: Vec<String>,
    is_native: bool,
}

#[derive(Clone)]
enum Source {
    Model(DynModel<Completion>),
    Agent(Box<rig_agent::Agent>),
}

impl RigAgent {
    /// An agent that asks a completion model or an agent of rig.
    ///
    /// ```
    /// use extract::agent::{Agent, RigAgent, rig_agent::AgentBuilder, rig_core::providers::openai::OpenAI};
    ///
    /// let model = OpenAI::new("my-key").completion("gpt-6-luna");
    /// let agent = RigAgent::new(model.clone()).redacting("my-key");
    /// assert_eq!(agent.name(), "openai/gpt-6-luna");
    ///
    /// let clerk = AgentBuilder::new(model).name("clerk").preamble("You are a careful clerk.").build();
    /// assert_eq!(RigAgent::new(clerk).name(), "rig/clerk");
    /// ```
    pub fn new(source: impl Into<Self>) -> Self {
        source.into()
    }

    /// Whether a model is offered the schema as native structured output; on by default. A server
    /// with the API of OpenAI but without `response_format` may refuse such a request.
    ///
    /// ```
    /// # use extract::agent::{RigAgent, rig_core::providers::openai::OpenAI};
    /// let model = OpenAI::new("my-key").chat("my-model");
    /// let agent = RigAgent::new(model).native_schema(false);
    /// # let _ = agent;
    /// ```
    pub fn native_schema(mut self, is_native: bool) -> Self {
        self.is_native = is_native;
        self
    }

    /// Redacts `secret` in every error; see [above](Self#keys).
    pub fn redacting(mut self, secret: impl Into<String>) -> Self {
        self.secrets.push(secret.into());
        self
    }

    /// The name of the provider, if the schema is to be sent.
    fn provider(&self) -> Option<&str> {
        match &self.source {
            Source::Model(model) if self.is_native => Some(model.name()),
            _ => None,
        }
    }

    fn secrets(&self) -> Keys {
        let mut secrets = Keys::of_environment();
        for secret in &self.secrets {
            secrets.insert(secret);
        }
        secrets
    }
}

impl From<DynModel<Completion>> for RigAgent {
    fn from(model: DynModel<Completion>) -> Self {
        let name = name_of_model(model.name(), model.id());
        Self { source: Source::Model(model), name, secrets: Vec::new(), is_native: true }
    }
}

impl<W, T> From<Model<W, T>> for RigAgent
where
    W: Wire<Op = Completion>,
    T: Transport<W>,
{
    fn from(model: Model<W, T>) -> Self {
        model.erase().into()
    }
}

impl From<rig_agent::Agent> for RigAgent {
    fn from(agent: rig_agent::Agent) -> Self {
        let name = name_of_agent(&agent);
        Self { source: Source::Agent(Box::new(agent)), name, secrets: Vec::new(), is_native: true }
    }
}

#[diagnostic::do_not_recommend]
impl Agent for RigAgent {
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
        let secrets = || self.secrets();
        match &self.source {
            Source::Model(model) => {
                let asking =
                    ask_model(self.provider(), request, |asked, seen| model.call_observed(asked, seen));
                guarded(self.name(), secrets, asking)
            }
            Source::Agent(agent) => guarded(self.name(), secrets, ask_agent(agent, request)),
        }
    }

    fn stream<'a>(&'a self, request: &'a Request, sink: DeltaSink<'a>) -> Responding<'a> {
        let Source::Model(model) = &self.source else { return stream_whole(self, request, sink) };
        let asking = stream::ask_model(self.provider(), request, sink, |asked, seen| {
            Ok(model.stream_observed(asked, seen)?)
        });
        guarded(self.name(), || self.secrets(), asking)
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.name)
    }

    /// Models call tools; an agent of rig has tools of its own.
    fn capabilities(&self) -> Capabilities {
        match self.source {
            Source::Model(_) => Capabilities::default().calling_tools().setting_thinking(),
            Source::Agent(_) => Capabilities::default().setting_thinking(),
        }
    }

    fn constraint<'a>(&'a self, request: &'a Request) -> Constraining<'a> {
        structured::constraint(self.provider(), request).known()
    }
}

/// The client holds keys, so `Debug` omits it.
impl fmt::Debug for RigAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("RigAgent");
        shown.field("name", &self.name).field("native_schema", &self.is_native).finish_non_exhaustive()
    }
}

/// Asked as by [`RigAgent`].
#[diagnostic::do_not_recommend]
impl Agent for DynModel<Completion> {
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
        let asking = ask_model(Some(self.name()), request, |asked, seen| self.call_observed(asked, seen));
        guarded(Agent::name(self), Keys::of_environment, asking)
    }

    fn stream<'a>(&'a self, request: &'a Request, sink: DeltaSink<'a>) -> Responding<'a> {
        let asking = stream::ask_model(Some(self.name()), request, sink, |asked, seen| {
            Ok(self.stream_observed(asked, seen)?)
        });
        guarded(Agent::name(self), Keys::of_environment, asking)
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Owned(name_of_model(self.name(), self.id()))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default().calling_tools().setting_thinking()
    }

    fn constraint<'a>(&'a self, request: &'a Request) -> Constraining<'a> {
        structured::constraint(Some(self.name()), request).known()
    }
}

/// Asked as by [`RigAgent`].
#[diagnostic::do_not_recommend]
impl<W, T> Agent for Model<W, T>
where
    W: Wire<Op = Completion>,
    T: Transport<W>,
{
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
        let asking = ask_model(Some(self.name()), request, |asked, seen| self.call_observed(asked, seen));
        guarded(Agent::name(self), Keys::of_environment, asking)
    }

    fn stream<'a>(&'a self, request: &'a Request, sink: DeltaSink<'a>) -> Responding<'a> {
        let asking = stream::ask_model(Some(self.name()), request, sink, |asked, seen| {
            Ok(self.stream_observed(asked, seen)?)
        });
        guarded(Agent::name(self), Keys::of_environment, asking)
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Owned(name_of_model(self.name(), self.id()))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default().calling_tools().setting_thinking()
    }

    fn constraint<'a>(&'a self, request: &'a Request) -> Constraining<'a> {
        structured::constraint(Some(self.name()), request).known()
    }
}

/// Asked as by [`RigAgent`].
#[diagnostic::do_not_recommend]
impl Agent for rig_agent::Agent {
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a> {
        guarded(Agent::name(self), Keys::of_environment, ask_agent(self, request))
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Owned(name_of_agent(self))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default().setting_thinking()
    }
}

/// Awaits `asking`, unless real agents are denied. `secrets` are redacted in failures; refusals
/// among them become replies.
fn guarded<'a>(
    name: Cow<'a, str>,
    secrets: impl FnOnce() -> Keys + Send + 'a,
    asking: impl Future<Output = Result<Reply, Failure>> + Send + 'a,
) -> Responding<'a> {
    Box::pin(async move {
        guard::check(&name)?;
        asking.await.or_else(|failure| failure.settled(&secrets()))
    })
}

/// `provider` is the name of the provider, if the schema is to be sent.
async fn ask_model<C: Future<Output = Result<CompletionResponse, ProviderError>>>(
    provider: Option<&str>,
    request: &Request,
    call: impl Fn(CompletionRequest, AdapterContext) -> C,
) -> Result<Reply, Failure> {
    let RigRequest { mut asked, note, is_enveloped } = convert::to_request(request, provider);
    let seen = Arc::<Seen>::default();
    let mut response = call(asked.clone(), seen.context()).await;
    let thinking = not_thinking(&mut asked, request, response.as_ref().err());
    if thinking.is_some() {
        response = call(asked, seen.context()).await;
    }
    let reply = convert::of_model(&response?, request, seen.origin())?;
    let reply = if is_enveloped { envelope::open(reply) } else { reply };
    Ok(noted(noted(reply, note), thinking))
}

/// Takes the thinking level out of `asked` if that caused the `error`, and then returns a note.
fn not_thinking(
    asked: &mut CompletionRequest,
    request: &Request,
    error: Option<&ProviderError>,
) -> Option<String> {
    let note = thinking::note(request.thinking?, &thinking::refusal(error?)?);
    asked.options.reasoning = None;
    Some(note)
}

fn noted(reply: Reply, note: Option<String>) -> Reply {
    note.into_iter().fold(reply, Reply::with_note)
}

async fn ask_agent(agent: &rig_agent::Agent, request: &Request) -> Result<Reply, Failure> {
    let mut messages = convert::to_messages(&request.conversation);
    let Some(prompt) = messages.pop() else {
        return Err(Failure::refused("the conversation is empty"));
    };
    let run = |thinking: Option<ThinkingLevel>| {
        let mut run = agent.prompt(prompt.clone()).history(messages.clone());
        if let Some(temperature) = request.temperature {
            run = run.temperature(temperature);
        }
        if let Some(tokens) = request.max_output_tokens {
            run = run.max_tokens(tokens.into());
        }
        if let Some(level) = thinking {
            run = run.reasoning(thinking::to_reasoning(level));
        }
        run.run()
    };
    let response = run(request.thinking).await;
    let refusal = response.as_ref().err().and_then(thinking::refusal_of_agent);
    match request.thinking.zip(refusal) {
        None => convert::of_agent(&response?, request),
        Some((level, reason)) => {
            let note = thinking::note(level, &reason);
            Ok(convert::of_agent(&run(None).await?, request)?.with_note(note))
        }
    }
}

fn name_of_model(provider: &str, model: Option<&str>) -> String {
    format!("{provider}/{}", model.unwrap_or("model"))
}

fn name_of_agent(agent: &rig_agent::Agent) -> String {
    let model = agent.model_label();
    let name = agent.name().map(ToOwned::to_owned).or_else(|| model.map(|model| model.to_string()));
    format!("rig/{}", name.as_deref().unwrap_or("agent"))
}
