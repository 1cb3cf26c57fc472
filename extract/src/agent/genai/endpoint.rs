//! Other servers with the API of a provider.

use std::env;

use genai::{
    Client, ServiceTarget,
    resolver::{AuthData, Endpoint},
};

use super::{GenaiAgent, bounded_http};
use crate::agent::AgentError;

/// Sent instead of a missing key. Local servers need no key, but `genai` sends nothing without one.
const NO_KEY: &str = "-";

impl GenaiAgent {
    /// Creates an agent for a model on another server with the API of the provider of `model`, such
    /// as vLLM, LM Studio or llama.cpp for `openai/…`.
    ///
    /// `url` is the part before the name of the method, such as `http://localhost:8000/v1`. The key
    /// is read from the variable of the provider (`OPENAI_API_KEY`), and may be missing. The limits
    /// are the same as in [`new`](Self::new).
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), and if `url` starts with neither `http://` nor `https://`.
    ///
    /// ```
    /// use extract::agent::{Agent, GenaiAgent};
    ///
    /// let agent = GenaiAgent::at("http://localhost:8000/v1", "openai/gemma3")?;
    /// assert_eq!(agent.name(), "openai/gemma3");
    /// assert!(GenaiAgent::at("localhost:8000", "openai/gemma3").is_err());
    /// # Ok::<(), extract::agent::AgentError>(())
    /// ```
    pub fn at(url: impl AsRef<str>, model: impl AsRef<str>) -> Result<Self, AgentError> {
        let url = url.as_ref();
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(AgentError::unavailable(format!(
                "`{url}` is no address of a server; it starts with `http://` or `https://`"
            )));
        }
        // `genai` puts the name of the method after the last slash.
        let url = format!("{}/", url.trim_end_matches('/'));
        let elsewhere = move |mut target: ServiceTarget| {
            target.endpoint = Endpoint::from_owned(url);
            if matches!(&target.auth, AuthData::FromEnv(name) if env::var_os(name).is_none()) {
                target.auth = AuthData::from_single(NO_KEY);
            }
            Ok(target)
        };
        let client =
            Client::builder().with_reqwest(bounded_http()?).with_service_target_resolver_fn(elsewhere);
        let client = client.build().map_err(|error| AgentError::unavailable(error.to_string()))?;
        Self::with_client(client, model)
    }
}
