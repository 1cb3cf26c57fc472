//! A server of one value.

use std::fmt;

use extract::{
    Event, Extractable, ExtractionError, ExtractionResult, IntoRejections, Toolkit, WithContext,
    agent::AgentError, context::NoContext, document::Document, metrics::ConfidenceCalibration,
    path::IntoPathPattern, schema::NarrowingError,
};
use serde::Serialize;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{
    http::{self, Http},
    pipe,
    served::{ServedToolkit, UntilOutcome, disconnected_error},
};

/// Serves a type to MCP clients until one of its values is accepted; made by [`serve`].
///
/// It has the settings of a [`Toolkit`]. `C` is the context of the rules of `T`.
///
/// # Errors
///
/// [`stdio`](Self::stdio), [`over`](Self::over) and [`http`](Self::http) fail as an extraction
/// does: with [`MaxRetriesExceeded`](extract::ExtractionError::MaxRetriesExceeded) if the budget is
/// used up, [`Fatal`](extract::ExtractionError::Fatal) if a value was rejected for good, and
/// [`Agent`](extract::ExtractionError::Agent) if the client went away before, or could not be served
/// at all. Each error has every attempt made so far.
#[must_use = "nothing is served until it is awaited"]
pub struct Serving<'a, T, C = NoContext> {
    toolkit: Result<Toolkit<'a, T, C>, ExtractionError>,
}

/// Serves a type to MCP clients, such as Claude Code, until one client submits an acceptable value.
pub fn serve<'a, T: Extractable + Send>() -> Serving<'a, T> {
    Serving { toolkit: Toolkit::new().map_err(Into::into) }
}

/// Serves an existing toolkit, such as one of [`Toolkit::untyped`].
///
/// ```
/// use extract::{Contract, Toolkit};
/// use extract_mcp::Serving;
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "integer"}))?;
/// let serving = Serving::from(Toolkit::untyped(contract));
/// # let _ = serving;
/// # Ok::<(), extract::schema::SchemaError>(())
/// ```
impl<'a, T, C> From<Toolkit<'a, T, C>> for Serving<'a, T, C> {
    fn from(toolkit: Toolkit<'a, T, C>) -> Self {
        Self { toolkit: Ok(toolkit) }
    }
}

impl<'a, T> Serving<'a, T> {
    /// See [`Toolkit::context`].
    pub fn context<C: Sync + 'static>(self, context: &'a C) -> Serving<'a, T, C> {
        Serving { toolkit: self.toolkit.map(|toolkit| toolkit.context(context)) }
    }
}

impl<'a, T, C> Serving<'a, T, C> {
    /// See [`Toolkit::max_attempts`].
    pub fn max_attempts(self, attempts: u32) -> Self {
        self.map(|toolkit| toolkit.max_attempts(attempts))
    }

    /// See [`Toolkit::one_of`]. If it fails, serving fails before a client is served.
    pub fn one_of<V: Serialize>(
        self,
        place: impl IntoPathPattern<T>,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.narrowed(|toolkit| toolkit.one_of(place, values))
    }

    /// See [`Toolkit::describe`]. If it fails, serving fails before a client is served.
    pub fn describe(self, place: impl IntoPathPattern<T>, text: impl AsRef<str>) -> Self {
        self.narrowed(|toolkit| toolkit.describe(place, text))
    }

    /// See [`Toolkit::document`].
    pub fn document(self, document: &Document) -> Self {
        self.map(|toolkit| toolkit.document(document))
    }

    /// See [`Toolkit::measure_evidence`].
    pub fn measure_evidence(self) -> Self {
        self.map(Toolkit::measure_evidence)
    }

    /// See [`Toolkit::calibrated`]. If it fails, serving fails before a client is served.
    pub fn calibrated(self, calibration: impl ConfidenceCalibration + 'static) -> Self {
        Self { toolkit: self.toolkit.and_then(|toolkit| toolkit.calibrated(calibration).map_err(Into::into)) }
    }

    fn narrowed(
        self,
        with: impl FnOnce(Toolkit<'a, T, C>) -> Result<Toolkit<'a, T, C>, NarrowingError>,
    ) -> Self {
        Self { toolkit: self.toolkit.and_then(|toolkit| with(toolkit).map_err(Into::into)) }
    }

    /// See [`Toolkit::on_submit`].
    pub fn on_submit<E: IntoRejections>(self, callback: impl FnMut(&T) -> Result<(), E> + Send + 'a) -> Self {
        self.map(|toolkit| toolkit.on_submit(callback))
    }

    /// See [`Toolkit::observe`].
    pub fn observe(self, observer: impl FnMut(&Event<'_>) + Send + 'a) -> Self {
        self.map(|toolkit| toolkit.observe(observer))
    }

    fn map(self, with: impl FnOnce(Toolkit<'a, T, C>) -> Toolkit<'a, T, C>) -> Self {
        Self { toolkit: self.toolkit.map(with) }
    }
}

impl<T: WithContext<C> + Send, C> Serving<'_, T, C> {
    /// Serves the client that started this program, over its standard input and output; see
    /// [`Server::stdio`](crate::Server::stdio).
    ///
    /// # Errors
    ///
    /// See the type.
    pub async fn stdio(self) -> ExtractionResult<T> {
        let mut toolkit = self.toolkit?;
        let served = pipe::serve(NAME, &mut once(&mut toolkit), rmcp::transport::stdio_pipes()).await;
        outcome(toolkit, served)
    }

    /// Serves a client over any other stream, such as a Unix socket.
    ///
    /// ```
    /// use extract::{Extractable, ExtractionError};
    /// use serde_json::json;
    /// use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (ours, theirs) = tokio::io::duplex(1 << 16);
    /// let client = async {
    ///     let mut stream = BufReader::new(theirs);
    ///     for message in [
    ///         json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    ///             "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "me", "version": "1"}}}),
    ///         json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ///         json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
    ///             "name": "submit", "arguments": {"value": [3, 5, 8]}}}),
    ///     ] {
    ///         stream.write_all(format!("{message}\n").as_bytes()).await?;
    ///     }
    ///     let mut answers = stream.lines();
    ///     while let Some(answer) = answers.next_line().await? {
    ///         println!("{answer}");
    ///     }
    ///     Ok::<_, std::io::Error>(())
    /// };
    /// let (numbers, _) = tokio::join!(extract_mcp::serve::<Vec<u8>>().over(ours), client);
    /// assert_eq!(numbers?.0, [3, 5, 8]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// See the type.
    pub async fn over(self, stream: impl AsyncRead + AsyncWrite + Send + 'static) -> ExtractionResult<T> {
        let mut toolkit = self.toolkit?;
        let served = pipe::serve(NAME, &mut once(&mut toolkit), tokio::io::split(stream)).await;
        outcome(toolkit, served)
    }

    /// Serves clients over streamable HTTP, under `/mcp`. A bare port is a port of `127.0.0.1`.
    ///
    /// Clients may come and go; only an outcome ends it. Set a time limit around it if there may be
    /// no client. All clients share the budget.
    ///
    /// # Errors
    ///
    /// See the type.
    pub async fn http(self, http: impl Into<Http>) -> ExtractionResult<T> {
        let mut toolkit = self.toolkit?;
        let served = http::serve(NAME, &mut once(&mut toolkit), http.into()).await;
        outcome(toolkit, served)
    }
}

/// The name by which a server of one value introduces itself.
const NAME: &str = "extract";

fn once<'t, T: WithContext<C> + Send, C>(
    toolkit: &'t mut Toolkit<'_, T, C>,
) -> [Box<dyn ServedToolkit + 't>; 1] {
    [Box::new(UntilOutcome(toolkit))]
}

/// An outcome counts once it was reached, even if the connection fails later.
fn outcome<T, C>(toolkit: Toolkit<'_, T, C>, served: Result<(), AgentError>) -> ExtractionResult<T> {
    toolkit.finish_because(served.err().unwrap_or_else(disconnected_error))
}

impl<T, C> fmt::Debug for Serving<'_, T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serving").field("toolkit", &self.toolkit).finish()
    }
}
