//! What an agent can do besides replying.

/// What an [`Agent`](super::Agent) can do besides replying, as far as an extraction makes use of it. Nothing by default.
///
/// ```
/// use extract::agent::Capabilities;
///
/// let capabilities = Capabilities::default().calling_tools().at_temperature(0.0);
/// assert!(capabilities.calls_tools);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Whether it offers the [tools](super::Request::tools) of a request to the model and returns its [calls](super::Reply::calls).
    /// Where it does not, it is never given any; an extraction with [`tools`](crate::Extraction::tools) then asks for text.
    pub calls_tools: bool,
    /// The sampling temperature at which it replies to a request that sets none; `None` where that is not known, or cannot be
    /// changed by a request.
    pub temperature: Option<f64>,
}

impl Capabilities {
    /// With tools.
    #[must_use]
    pub fn calling_tools(self) -> Self {
        Self { calls_tools: true, ..self }
    }

    /// With a temperature of its own, which a request can change.
    #[must_use]
    pub fn at_temperature(self, temperature: f64) -> Self {
        Self { temperature: Some(temperature), ..self }
    }

    /// What this agent and `other` both can, at the temperature of this one.
    pub(super) fn shared(self, other: Self) -> Self {
        Self {
            calls_tools: self.calls_tools && other.calls_tools,
            temperature: self.temperature.filter(|_| other.temperature.is_some()),
        }
    }
}
