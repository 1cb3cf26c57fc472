//! The limits of a request, and errors of the client.

use std::{error::Error, time::Duration};

use extract::agent::{AgentErrorKind, provider::ProviderFailure};

/// The limits of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HttpLimits {
    /// Until there is a connection.
    pub(crate) connect: Duration,
    /// Between two bytes of the server. A model may think for minutes before the first.
    pub(crate) silence: Duration,
    /// Bytes of a body.
    pub(crate) body: usize,
}

/// How many times the bytes of a body a stream may have: each event has one token of the reply, and
/// is read alone.
pub(super) const STREAM_FACTOR: usize = 8;

impl Default for HttpLimits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), silence: Duration::from_secs(600), body: 16 << 20 }
    }
}

pub(super) fn silent(limit: Duration) -> ProviderFailure {
    ProviderFailure::new(AgentErrorKind::Timeout, format!("the server sent nothing for {limit:?}"))
}

/// `client error (Connect): tcp connect error: Connection refused`
pub(super) fn with_causes(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message.push_str(": ");
        message.push_str(&error.to_string());
        cause = error.source();
    }
    message
}
