//! The agent of the examples: a provider if the environment names one, else a model in the process.

use std::error::Error;

use extract::agent::Agent;

/// Variables that name a provider.
const PROVIDERS: [&str; 5] =
    ["EXTRACT_AGENT", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OLLAMA_HOST"];

pub(crate) fn from_environment() -> Result<Box<dyn Agent>, Box<dyn Error>> {
    if std::env::var("EXTRACT_AGENT").is_ok_and(|name| name.starts_with("local")) {
        return local();
    }
    match PROVIDERS.into_iter().find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())) {
        Some(name) => provider(name),
        None => local(),
    }
}

fn provider(name: &str) -> Result<Box<dyn Agent>, Box<dyn Error>> {
    let agent = extract_agents::ProviderAgent::from_env()?;
    Ok(Box::new(agent.ok_or_else(|| format!("`{name}` is set, but names no provider"))?))
}

fn local() -> Result<Box<dyn Agent>, Box<dyn Error>> {
    Ok(Box::new(extract_local::LocalModel::load()?))
}
