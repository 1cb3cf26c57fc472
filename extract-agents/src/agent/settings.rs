//! The settings of an agent.

use std::{sync::Arc, time::Duration};

use extract::agent::AgentError;
use serde_json::{Map, Value};

use super::{
    answered::Answered,
    provider::{ProviderAgent, StructuredOutput, error_of},
};
use crate::{http::Target, wire::RequestSettings};

/// Members of a body that the agent itself decides, as paths. Gemini takes its names in both cases.
const OWN_MEMBERS: [&str; 19] = [
    "model",
    "messages",
    "input",
    "contents",
    "system",
    "systemInstruction",
    "system_instruction",
    "stream",
    "n",
    "tools",
    "response_format",
    "format",
    "text",
    "output_config.format",
    "outputConfig.textFormat",
    "toolConfig",
    "generationConfig.responseJsonSchema",
    "generationConfig.candidateCount",
    "generation_config",
];

impl ProviderAgent {
    fn with_settings(mut self, change: impl FnOnce(&mut RequestSettings)) -> Self {
        change(&mut self.settings);
        Self { kept: Arc::default(), ..self }
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
    /// or has a member that the agent decides, such as the conversation or the number of replies.
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
        let is_there = |path: &&&str| {
            let mut keys = path.split('.');
            let first = keys.next().and_then(|key| members.get(key));
            first.is_some_and(|first| keys.try_fold(first, |value, key| value.get(key)).is_some())
        };
        if let Some(name) = OWN_MEMBERS.iter().find(is_there) {
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
        self.with_settings(|settings| settings.is_uncached = !caches)
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
    /// [profile](crate::Profile::log_probabilities) says that the server has them. They are in the
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

    /// Sends requests through the proxy at `url`: an HTTP proxy, such as
    /// `http://user:password@proxy:3128`, or a SOCKS 5 proxy, such as `socks5://proxy:1080`, which
    /// also resolves the server's name. Without this, the variables `HTTPS_PROXY`, `HTTP_PROXY`,
    /// `ALL_PROXY` and `NO_PROXY` decide, in either case, as they are when the first agent of the
    /// process is created. Encrypted requests pass through a tunnel, so the proxy sees neither key
    /// nor prompt.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](extract::agent::AgentErrorKind::Unavailable) if `url` does not start with
    /// `http://`, `socks5://` or `socks5h://`.
    ///
    /// ```
    /// use extract_agents::ProviderAgent;
    ///
    /// let agent = ProviderAgent::new("openai/gpt-6-luna")?.proxy("socks5://proxy:1080")?;
    /// assert!(agent.proxy("https://proxy:3128").is_err());
    /// # Ok::<(), extract::agent::AgentError>(())
    /// ```
    pub fn proxy(self, url: impl AsRef<str>) -> Result<Self, AgentError> {
        let url = url.as_ref();
        if !["http://", "socks5://", "socks5h://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Err(AgentError::unavailable(
                "the address of a proxy has to start with `http://`, `socks5://` or `socks5h://`",
            ));
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

    /// Sets how long to wait for a connection, with the handshakes of a proxy and of TLS; 10 seconds by
    /// default.
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
