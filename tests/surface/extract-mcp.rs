// http/listen.rs
#[must_use = "nothing listens until it is given to a server"]
pub struct Http {}
impl Http {
    pub fn port(port: u16) -> Self {}
    pub fn on(listener: TcpListener) -> Self {}
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {}
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {}
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {}
    pub fn max_body_bytes(mut self, bytes: usize) -> Self {}
    pub fn max_waiting(mut self, connections: usize) -> Self {}
    pub fn max_requests(mut self, requests: usize) -> Self {}
    pub fn max_streams(mut self, streams: usize) -> Self {}
}

// http/mod.rs
pub use self::listen::Http;

// lib.rs
pub use self::{http::Http, served::IntoKept, server::Server, serving::{Serving, serve}};

// served.rs
pub trait IntoKept {
    fn into_kept(self) -> Result<ControlFlow<()>, String>;
}

// server.rs
#[must_use = "a server does nothing until it is awaited"]
pub struct Server<'a> {}
impl<'a> Server<'a> {
    pub fn new(name: impl Into<String>) -> Self {}
    pub fn with<T: WithContext<C> + Send + 'a, C: 'a, K: IntoKept + 'a>(
        mut self,
        toolkit: Toolkit<'a, T, C>,
        outcome: impl FnMut(ExtractionResult<T>) -> K + Send + 'a,
    ) -> Self {}
    pub async fn stdio(mut self) -> Result<(), AgentError> {}
    pub async fn over(
        mut self,
        stream: impl AsyncRead + AsyncWrite + Send + 'static,
    ) -> Result<(), AgentError> {}
    pub async fn http(mut self, http: impl Into<Http>) -> Result<(), AgentError> {}
}

// serving.rs
#[must_use = "nothing is served until it is awaited"]
pub struct Serving<'a, T, C = NoContext> {}
pub fn serve<'a, T: Extractable + Send>() -> Serving<'a, T> {}
impl<'a, T> Serving<'a, T> {
    pub fn context<C: Sync + 'static>(self, context: &'a C) -> Serving<'a, T, C> {}
}
impl<'a, T, C> Serving<'a, T, C> {
    pub fn max_attempts(self, attempts: u32) -> Self {}
    pub fn one_of<V: Serialize>(
        self,
        place: impl IntoPathPattern<T>,
        values: impl IntoIterator<Item = V>,
    ) -> Self {}
    pub fn describe(
        self,
        place: impl IntoPathPattern<T>,
        text: impl AsRef<str>,
    ) -> Self {}
    pub fn document(self, document: &Document) -> Self {}
    pub fn measure_evidence(self) -> Self {}
    pub fn calibrated(self, calibration: impl ConfidenceCalibration + 'static) -> Self {}
    pub fn on_submit<E: IntoRejections>(
        self,
        callback: impl FnMut(&T) -> Result<(), E> + Send + 'a,
    ) -> Self {}
    pub fn observe(self, observer: impl FnMut(&Event<'_>) + Send + 'a) -> Self {}
}
impl<T: WithContext<C> + Send, C> Serving<'_, T, C> {
    pub async fn stdio(self) -> ExtractionResult<T> {}
    pub async fn over(
        self,
        stream: impl AsyncRead + AsyncWrite + Send + 'static,
    ) -> ExtractionResult<T> {}
    pub async fn http(self, http: impl Into<Http>) -> ExtractionResult<T> {}
}

