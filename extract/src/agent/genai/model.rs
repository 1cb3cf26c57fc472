//! Which model of which provider.

use genai::{ModelIden, ModelSpec, adapter::AdapterKind};

use crate::agent::AgentError;

/// A model in the form that `genai` needs, and its name.
#[derive(Debug, Clone)]
pub(super) struct Model {
    spec: ModelSpec,
    name: String,
    kind: AdapterKind,
    /// The name without the provider.
    bare_name: String,
}

impl Model {
    /// `bound` is the only provider of the client, if it has only one.
    pub(super) fn parse(text: &str, bound: Option<AdapterKind>) -> Result<Self, AgentError> {
        let text = text.trim();
        if let Some(kind) = bound {
            return Self::new(text.into(), kind, text);
        }
        if let Some((provider, model)) = text.split_once("::") {
            let kind = kind_in_namespace(provider, text)?;
            return Self::new(text.into(), kind, model);
        }
        if let Some((provider, model)) = text.split_once('/') {
            let kind = kind_of(provider).ok_or_else(|| unknown(provider))?;
            return Self::new(ModelIden::new(kind, model).into(), kind, model);
        }
        Self::new(text.into(), inferred(text)?, text)
    }

    fn new(spec: ModelSpec, kind: AdapterKind, model: &str) -> Result<Self, AgentError> {
        let provider = provider(kind);
        if model.is_empty() {
            return Err(AgentError::unavailable(format!("no model; write it as `{provider}/model`")));
        }
        Ok(Self { spec, name: format!("{provider}/{model}"), kind, bare_name: model.to_owned() })
    }

    pub(super) fn spec(&self) -> ModelSpec {
        self.spec.clone()
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn kind(&self) -> AdapterKind {
        self.kind
    }

    /// The name without the provider, as the provider knows it.
    pub(super) fn bare_name(&self) -> &str {
        &self.bare_name
    }
}

fn kind_of(provider: &str) -> Option<AdapterKind> {
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let wanted = plain(provider);
    // The kinds that are numbered, `genai_1` and so on, are not in the list.
    AdapterKind::from_lower_str(provider)
        .or_else(|| AdapterKind::all().iter().copied().find(|kind| plain(kind.as_lower_str()) == wanted))
}

/// `genai` has namespaces besides its providers, and takes unknown ones for a model of Ollama.
fn kind_in_namespace(namespace: &str, text: &str) -> Result<AdapterKind, AgentError> {
    match AdapterKind::from_lower_str(namespace) {
        Some(kind) => Ok(kind),
        None => inferred(text)
            .and_then(|kind| if kind == AdapterKind::Ollama { Err(unknown(namespace)) } else { Ok(kind) }),
    }
}

fn inferred(model: &str) -> Result<AdapterKind, AgentError> {
    AdapterKind::from_model(model).map_err(|error| AgentError::unavailable(error.to_string()))
}

fn provider(kind: AdapterKind) -> String {
    match kind {
        AdapterKind::Custom(_) => kind.to_string(),
        _ => kind.as_lower_str().to_owned(),
    }
}

fn unknown(provider: &str) -> AgentError {
    let known: Vec<_> = AdapterKind::all().iter().map(AdapterKind::as_lower_str).collect();
    AgentError::unavailable(format!("unknown provider `{provider}`; known are {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Result<String, String> {
        Model::parse(text, None).map(|model| model.name).map_err(|error| error.to_string())
    }

    #[test]
    fn takes_the_provider_from_before_the_first_slash() {
        assert_eq!(name("openai/gpt-5-mini").unwrap(), "openai/gpt-5-mini");
        assert_eq!(name("groq/openai/gpt-oss-20b").unwrap(), "groq/openai/gpt-oss-20b");
        assert_eq!(name("OpenRouter/openai/gpt-5-mini").unwrap(), "open_router/openai/gpt-5-mini");
        assert_eq!(name("genai_1/mine").unwrap(), "genai_1/mine");
    }

    #[test]
    fn takes_the_namespaces_of_genai() {
        assert_eq!(name("together::meta-llama/Llama-3-8b").unwrap(), "together/meta-llama/Llama-3-8b");
        assert_eq!(name("zai_coding::glm-4.6").unwrap(), "zai/glm-4.6");
    }

    #[test]
    fn leaves_bare_names_to_genai() {
        assert_eq!(name("claude-haiku-5-5").unwrap(), "anthropic/claude-haiku-5-5");
        assert_eq!(name("gpt-4o-mini").unwrap(), "openai/gpt-4o-mini");
        assert_eq!(name("gpt-5-mini").unwrap(), "openai_resp/gpt-5-mini");
        assert_eq!(name("gemma4:e2b").unwrap(), "ollama/gemma4:e2b");
    }

    #[test]
    fn refuses_what_would_silently_become_a_model_of_ollama() {
        for text in ["opnai/gpt-5-mini", "opnai::gpt-5-mini"] {
            let message = name(text).unwrap_err();
            assert!(message.contains("unknown provider `opnai`; known are openai, "), "{message}");
        }
        assert!(name("").is_err());
        assert!(name("openai/").is_err());
    }

    #[test]
    fn gives_a_bound_client_the_name_as_it_is() {
        let model = Model::parse("openai/gpt-5-mini", Some(AdapterKind::OpenRouter)).unwrap();
        assert_eq!(model.name(), "open_router/openai/gpt-5-mini");
        assert!(matches!(model.spec(), ModelSpec::Name(name) if name == "openai/gpt-5-mini"));
    }
}
