//! Agents of rig.

use std::{borrow::Cow, fmt};

use extract::agent::{
    Agent, Capabilities, Reply, ReplyFuture, Request, ThinkingLevel, guard,
    provider::{Keys, ProviderFailure},
};

use crate::{convert, error, thinking};

/// An agent of rig ([`rig_agent::Agent`]) as an agent that is asked for values.
///
/// The last turn is the prompt, and the turns before it are its history, after its own preamble.
/// Its documents, tools and hooks work as usual. The [crate](crate) says what is sent, what comes
/// back, and which errors there are.
///
/// ```
/// use extract::agent::Agent;
/// use extract_rig::{RigAgent, rig_agent::AgentBuilder, rig_core::providers::openai::OpenAI};
///
/// let model = OpenAI::new("my-key").completion("gpt-6-luna");
/// let clerk = AgentBuilder::new(model).name("clerk").preamble("You are a careful clerk.").build();
/// let agent = RigAgent::from(clerk).redacting("my-key");
/// assert_eq!(agent.name(), "rig/clerk");
/// ```
#[derive(Clone)]
pub struct RigAgent {
    agent: Box<rig_agent::Agent>,
    name: String,
    secrets: Vec<String>,
}

impl RigAgent {
    /// Redacts `secret` in every error; see [Keys](crate#keys).
    pub fn redacting(mut self, secret: impl Into<String>) -> Self {
        self.secrets.push(secret.into());
        self
    }

    async fn ask(&self, request: &Request) -> Result<Reply, ProviderFailure> {
        let mut messages = convert::to_messages(&request.conversation);
        let Some(prompt) = messages.pop() else {
            return Err(ProviderFailure::refused("the conversation is empty"));
        };
        let run = |thinking: Option<ThinkingLevel>| {
            let mut run = self.agent.prompt(prompt.clone()).history(messages.clone());
            if let Some(temperature) = request.temperature {
                run = run.temperature(temperature);
            }
            if let Some(tokens) = request.max_output_tokens {
                run = run.max_tokens(tokens.into());
            }
            if let Some(reasoning) = thinking.and_then(thinking::to_reasoning) {
                run = run.reasoning(reasoning);
            }
            run.run()
        };
        let response = run(request.thinking).await;
        let refusal = response.as_ref().err().and_then(thinking::refusal_of_agent);
        match request.thinking.zip(refusal) {
            None => {
                let reply = convert::of_agent(&response.map_err(|error| error::of_agent(&error))?, request)?;
                Ok(thinking::noted(reply, [thinking::unknown(request)]))
            }
            Some((level, reason)) => {
                let note = thinking::note(level, &reason);
                let response = run(None).await.map_err(|error| error::of_agent(&error))?;
                Ok(thinking::noted(convert::of_agent(&response, request)?, [Some(note)]))
            }
        }
    }
}

impl From<rig_agent::Agent> for RigAgent {
    fn from(agent: rig_agent::Agent) -> Self {
        let name = name_of(&agent);
        Self { agent: Box::new(agent), name, secrets: Vec::new() }
    }
}

impl Agent for RigAgent {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        guarded(&self.name, &self.secrets, self.ask(request))
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.name)
    }

    /// It has its own tools, so it is asked for text.
    fn capabilities(&self) -> Capabilities {
        Capabilities::default().setting_thinking()
    }
}

/// The client holds keys, so `Debug` omits it.
impl fmt::Debug for RigAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RigAgent").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Awaits `asking`, unless real agents are denied. `secrets` are redacted in failures; refusals
/// among them become replies.
pub(crate) fn guarded<'a>(
    name: &'a str,
    secrets: &'a [String],
    asking: impl Future<Output = Result<Reply, ProviderFailure>> + Send + 'a,
) -> ReplyFuture<'a> {
    Box::pin(async move {
        guard::check(name)?;
        asking.await.or_else(|failure| {
            let mut keys = Keys::of_environment();
            for secret in secrets {
                keys.insert(secret);
            }
            failure.settle(&keys)
        })
    })
}

fn name_of(agent: &rig_agent::Agent) -> String {
    let model = agent.model_label();
    let name = agent.name().map(ToOwned::to_owned).or_else(|| model.map(|model| model.to_string()));
    format!("rig/{}", name.as_deref().unwrap_or("agent"))
}
