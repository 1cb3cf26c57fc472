//! Servers that speak Chat Completions and have no profile.

use extract::agent::AgentError;

use super::{env, provider::ProviderAgent};
use crate::{
    format::ThinkingForm,
    profile::{Media, Prefill, Profile, SchemaSupport},
};

/// A server that speaks Chat Completions and has no [profile](Profile), described in code.
///
/// By default the schema is sent in the form of OpenAI and not assumed to be enforced, so the
/// prompt describes it too.
///
/// ```
/// use extract::{Agent, schema::dialect::Dialect};
/// use extract_agents::{OpenAiCompatible, SchemaSupport};
///
/// let agent = OpenAiCompatible::at("http://gpu-1:8000/v1", "my-model")
///     .schema(SchemaSupport::by_decoder(Dialect::Ollama))
///     .build()?;
/// assert_eq!(agent.name(), "openai-compatible/my-model");
/// # Ok::<(), extract::agent::AgentError>(())
/// ```
#[derive(Debug, Clone)]
pub struct OpenAiCompatible {
    url: String,
    model: String,
    profile: Profile,
    key_variable: Option<String>,
}

impl OpenAiCompatible {
    /// Describes the model `model` of the server at `url`, the part before `/chat/completions`.
    pub fn at(url: impl Into<String>, model: impl Into<String>) -> Self {
        Self { url: url.into(), model: model.into(), profile: Profile::CHAT_COMPLETIONS, key_variable: None }
    }

    /// Begins with another profile, such as the profile of the software that the server runs.
    #[must_use]
    pub fn profile(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }

    /// Sets how a schema is sent, and who enforces it.
    #[must_use]
    pub fn schema(mut self, schema: SchemaSupport) -> Self {
        self.profile.schema = schema;
        // What is said here holds wherever the server is.
        self.profile.address = "";
        self.profile.schema_of_model = |support, _| support;
        self
    }

    /// Sets the parameter that limits the tokens of a reply; `max_tokens` by default.
    #[must_use]
    pub fn token_limit(mut self, name: &'static str) -> Self {
        self.profile.token_limit = name;
        self
    }

    /// Sets how the server is told how much a model should think.
    #[must_use]
    pub fn thinking(mut self, form: ThinkingForm) -> Self {
        self.profile.thinking = form;
        self
    }

    /// Sets which images and documents models may take; images by default.
    #[must_use]
    pub fn media(mut self, media: Media) -> Self {
        self.profile.media = media;
        self
    }

    /// Sets how the server is asked to continue a reply.
    #[must_use]
    pub fn prefill(mut self, prefill: Prefill) -> Self {
        self.profile.prefill = prefill;
        self
    }

    /// Sets the environment variable of the key. Without it, no key is sent; [`ProviderAgent::key`]
    /// sets one in code.
    #[must_use]
    pub fn key_variable(self, name: impl Into<String>) -> Self {
        Self { key_variable: Some(name.into()), ..self }
    }

    /// Builds the agent.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](extract::agent::AgentErrorKind::Unavailable) if the URL starts with neither
    /// `http://` nor `https://`, the model has no name, or the variable of the key is not set.
    pub fn build(self) -> Result<ProviderAgent, AgentError> {
        let Self { url, model, mut profile, key_variable } = self;
        if model.is_empty() {
            return Err(AgentError::unavailable("the model has no name"));
        }
        profile.needs_key = false;
        let agent = ProviderAgent::of(&profile, &model, env::variable).moved(&url)?;
        match key_variable {
            None => Ok(agent),
            Some(name) => match env::variable(&name) {
                Some(key) => Ok(agent.key(key)),
                None => {
                    Err(AgentError::unavailable(format!("no key for `{}`: `{name}` is not set", agent.name)))
                }
            },
        }
    }
}
