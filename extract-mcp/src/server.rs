//! A server that keeps serving.

use std::{collections::HashSet, fmt};

use extract::{ExtractionResult, Toolkit, WithContext, agent::AgentError};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{
    http::{self, Http},
    pipe,
    served::{IntoKept, ResetAfterOutcome, ServedToolkit},
};

/// An MCP server for one or several types that serves as long as there are clients. Every outcome
/// goes to a callback, and the toolkit is then reset to its full budget.
///
/// With several toolkits the tools are named after the types, `submit_invoice`, unless a toolkit is
/// [named](Toolkit::named) otherwise.
///
/// ```no_run
/// use extract::Toolkit;
/// use extract_mcp::Server;
///
/// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
/// let numbers = Toolkit::<Vec<u8>>::new()?.named("numbers");
/// let words = Toolkit::<Vec<String>>::new()?.named("words");
/// Server::new("lists")
///     .with(numbers, |outcome| eprintln!("{outcome:?}"))
///     .with(words, |outcome| eprintln!("{outcome:?}"))
///     .stdio()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a server does nothing until it is awaited"]
pub struct Server<'a> {
    name: String,
    toolkits: Vec<Box<dyn ServedToolkit + 'a>>,
}

impl<'a> Server<'a> {
    /// A server without tools that introduces itself by this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), toolkits: Vec::new() }
    }

    /// Adds the tools of a type. `outcome` is called with every accepted value. It is also called
    /// with an error if a budget is used up, a value is rejected for good, or the client goes away
    /// after an attempt; the error has every attempt.
    ///
    /// It is called before the client is told that its value is accepted. If it returns an error, because
    /// the value could not be stored, the client is told that the value is lost, and serving ends with an
    /// error. If it returns [`ControlFlow::Break`](std::ops::ControlFlow::Break), serving ends after this answer.
    pub fn with<T: WithContext<C> + Send + 'a, C: 'a, K: IntoKept + 'a>(
        mut self,
        toolkit: Toolkit<'a, T, C>,
        outcome: impl FnMut(ExtractionResult<T>) -> K + Send + 'a,
    ) -> Self {
        self.toolkits.push(Box::new(ResetAfterOutcome { toolkit, on_outcome: outcome }));
        self
    }

    /// Serves the client that started this program, over its standard input and output, until it
    /// closes them. Nothing else may write to the standard output meanwhile.
    ///
    /// If the streams are not pipes, tokio reads them on a thread of its own, and the end of `main`
    /// waits for that thread. Use `Runtime::shutdown_background` if the program should end while
    /// the client is still connected.
    ///
    /// # Errors
    ///
    /// If two tools have the same name, if the client does not speak the protocol or sends a
    /// message of more than 8 MiB, if the connection fails, or if a callback did not keep an outcome.
    pub async fn stdio(mut self) -> Result<(), AgentError> {
        let mut toolkits = self.toolkits()?;
        pipe::serve(&self.name, &mut toolkits, rmcp::transport::stdio_pipes()).await
    }

    /// As [`stdio`](Self::stdio), over any other stream, such as a Unix socket.
    ///
    /// # Errors
    ///
    /// As [`stdio`](Self::stdio).
    pub async fn over(
        mut self,
        stream: impl AsyncRead + AsyncWrite + Send + 'static,
    ) -> Result<(), AgentError> {
        let mut toolkits = self.toolkits()?;
        pipe::serve(&self.name, &mut toolkits, tokio::io::split(stream)).await
    }

    /// Serves clients over streamable HTTP, under `/mcp`, until it is dropped. A bare port is a
    /// port of `127.0.0.1`.
    ///
    /// All clients share the toolkits: a failed attempt of one client leaves one attempt fewer for
    /// the others.
    ///
    /// # Errors
    ///
    /// If two tools have the same name, if listening or accepting fails, or if a callback did not keep an
    /// outcome.
    pub async fn http(mut self, http: impl Into<Http>) -> Result<(), AgentError> {
        let mut toolkits = self.toolkits()?;
        http::serve(&self.name, &mut toolkits, http.into()).await
    }

    /// The toolkits, after a check that all tools have different names.
    fn toolkits(&mut self) -> Result<Vec<Box<dyn ServedToolkit + 'a>>, AgentError> {
        let mut toolkits = std::mem::take(&mut self.toolkits);
        if toolkits.len() > 1 {
            for toolkit in &mut toolkits {
                toolkit.distinguish();
            }
        }
        let mut names = HashSet::new();
        for tool in toolkits.iter().flat_map(|toolkit| toolkit.tools()) {
            if let Some(name) = names.replace(tool.name) {
                return Err(AgentError::unavailable(format!(
                    "two tools are called `{name}`; give the toolkits different names with `Toolkit::named`"
                )));
            }
        }
        Ok(toolkits)
    }
}

impl fmt::Debug for Server<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<_> =
            self.toolkits.iter().flat_map(|toolkit| toolkit.tools()).map(|tool| tool.name).collect();
        f.debug_struct("Server").field("name", &self.name).field("tools", &tools).finish()
    }
}
