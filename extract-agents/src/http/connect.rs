//! Connections, directly or through a proxy.

use std::{
    error::Error,
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use hyper::{
    Uri,
    http::uri::Scheme,
    rt::{Read, ReadBufCursor, Write},
};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::{
    client::{
        legacy::connect::{
            HttpConnector,
            proxy::{SocksV5, Tunnel},
        },
        proxy::matcher::Matcher,
    },
    rt::TokioIo,
};
use rustls::ClientConfig;
use tokio::{net::TcpStream, time::timeout};
use tower_service::Service;

use super::target::default_port;

type BoxError = Box<dyn Error + Send + Sync>;
type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;

/// Opens connections, through the proxies that are set, and encrypts those to `https://`.
#[derive(Clone)]
pub(super) struct Connector {
    https: HttpsConnector<Router>,
    proxies: Arc<Matcher>,
    time: Duration,
}

impl Connector {
    /// Opens each connection within `time`, with the handshakes of a proxy and of TLS.
    pub(super) fn new(time: Duration, proxies: &Arc<Matcher>, tls: ClientConfig) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // It is shared by the addresses of a host.
        tcp.set_connect_timeout(Some(time));
        let router = Router { tcp, proxies: Arc::clone(proxies) };
        let https = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
        Self { https: https.wrap_connector(router), proxies: Arc::clone(proxies), time }
    }

    /// Opens a connection to the server of `to`.
    pub(super) async fn connect(&self, to: Uri) -> Result<ServerStream, BoxError> {
        let proxy = self.proxies.intercept(&to).filter(|_| to.scheme() != Some(&Scheme::HTTPS));
        let is_forwarded = proxy.is_some_and(|proxy| proxy.uri().scheme() == Some(&Scheme::HTTP));
        let connecting = timeout(self.time, self.https.clone().call(to));
        let io =
            connecting.await.map_err(|_| format!("the connection timed out after {:?}", self.time))??;
        Ok(ServerStream { io: Box::new(io), is_forwarded })
    }
}

/// Opens connections that are not encrypted yet. A SOCKS proxy relays bytes. An HTTP proxy opens a
/// tunnel for what is encrypted, and forwards each other request.
#[derive(Clone)]
struct Router {
    tcp: HttpConnector,
    proxies: Arc<Matcher>,
}

impl Service<Uri> for Router {
    type Response = TokioIo<TcpStream>;
    type Error = BoxError;
    type Future = Connecting<TokioIo<TcpStream>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.tcp.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let Some(proxy) = self.proxies.intercept(&to) else {
            let connecting = self.tcp.call(to);
            return Box::pin(async move { Ok(connecting.await?) });
        };
        match proxy.uri().scheme_str() {
            Some("http") => {}
            Some("socks5" | "socks5h") => {
                let mut socks = SocksV5::new(with_port(proxy.uri(), 1080), self.tcp.clone());
                if let Some((name, password)) = proxy.raw_auth() {
                    socks = socks.with_auth(name.to_owned(), password.to_owned());
                }
                // Without a port, it would be the one of HTTPS.
                let connecting = socks.call(with_port(&to, default_port(&to)));
                return Box::pin(async move { Ok(connecting.await?) });
            }
            _ => {
                let message = "the proxy is not one that is reached over `http://` or `socks5://`";
                return Box::pin(async move { Err(message.into()) });
            }
        }
        if to.scheme() != Some(&Scheme::HTTPS) {
            let connecting = self.tcp.call(proxy.uri().clone());
            return Box::pin(async move { Ok(connecting.await?) });
        }
        let tunnel = Tunnel::new(proxy.uri().clone(), self.tcp.clone());
        let mut tunnel = match proxy.basic_auth() {
            Some(login) => tunnel.with_auth(login.clone()),
            None => tunnel,
        };
        let connecting = tunnel.call(to);
        Box::pin(async move { Ok(connecting.await?) })
    }
}

/// Adds `port` to an address without one.
fn with_port(uri: &Uri, port: u16) -> Uri {
    let mut parts = uri.clone().into_parts();
    if let Some(authority) = parts.authority.as_ref().filter(|authority| authority.port().is_none()) {
        parts.authority = format!("{}:{port}", authority.host()).parse().ok();
    }
    Uri::from_parts(parts).unwrap_or_else(|_| uri.clone())
}

/// A connection. The state of an encrypted one is large and moves with each of the futures around it,
/// so it is on the heap.
pub(super) struct ServerStream {
    io: Box<MaybeHttpsStream<TokioIo<TcpStream>>>,
    /// Whether a proxy at its end has to be told where each request goes.
    is_forwarded: bool,
}

impl ServerStream {
    pub(super) fn is_forwarded(&self) -> bool {
        self.is_forwarded
    }
}

impl Read for ServerStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.io).poll_read(context, buffer)
    }
}

impl Write for ServerStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.io).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.io).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.io).poll_write_vectored(context, bytes)
    }
}
