//! Connections, directly or through a proxy.

use std::{
    error::Error,
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use hyper::{
    Uri,
    http::uri::Scheme,
    rt::{Read, ReadBufCursor, Write},
};
use hyper_util::{
    client::{
        legacy::connect::{
            Connected, Connection, HttpConnector,
            proxy::{SocksV5, Tunnel},
        },
        proxy::matcher::Matcher,
    },
    rt::TokioIo,
};
use tokio::net::TcpStream;
use tower_service::Service;

type BoxError = Box<dyn Error + Send + Sync>;

/// Opens connections, through the proxies that are set. A SOCKS proxy relays bytes. An HTTP proxy
/// opens a tunnel for what is encrypted, and forwards each other request.
#[derive(Clone)]
pub(super) struct Connector {
    pub(super) tcp: HttpConnector,
    pub(super) proxies: Arc<Matcher>,
}

impl Service<Uri> for Connector {
    type Response = ServerStream;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<ServerStream, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.tcp.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let Some(proxy) = self.proxies.intercept(&to) else {
            let connecting = self.tcp.call(to);
            return Box::pin(async move { Ok(ServerStream { io: connecting.await?, is_forwarded: false }) });
        };
        match proxy.uri().scheme_str() {
            Some("http") => {}
            Some("socks5" | "socks5h") => {
                let mut socks = SocksV5::new(with_port(proxy.uri(), 1080), self.tcp.clone());
                if let Some((name, password)) = proxy.raw_auth() {
                    socks = socks.with_auth(name.to_owned(), password.to_owned());
                }
                // Without a port, it would be the one of HTTPS.
                let port = if to.scheme() == Some(&Scheme::HTTPS) { 443 } else { 80 };
                let connecting = socks.call(with_port(&to, port));
                return Box::pin(
                    async move { Ok(ServerStream { io: connecting.await?, is_forwarded: false }) },
                );
            }
            _ => {
                let message = "the proxy is not one that is reached over `http://` or `socks5://`";
                return Box::pin(async move { Err(message.into()) });
            }
        }
        if to.scheme() != Some(&Scheme::HTTPS) {
            let connecting = self.tcp.call(proxy.uri().clone());
            return Box::pin(async move { Ok(ServerStream { io: connecting.await?, is_forwarded: true }) });
        }
        let tunnel = Tunnel::new(proxy.uri().clone(), self.tcp.clone());
        let mut tunnel = match proxy.basic_auth() {
            Some(login) => tunnel.with_auth(login.clone()),
            None => tunnel,
        };
        let connecting = tunnel.call(to);
        Box::pin(async move { Ok(ServerStream { io: connecting.await?, is_forwarded: false }) })
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

/// A connection.
pub(super) struct ServerStream {
    io: TokioIo<TcpStream>,
    /// Whether a proxy at its end has to be told where each request goes.
    is_forwarded: bool,
}

impl Connection for ServerStream {
    fn connected(&self) -> Connected {
        self.io.inner().connected().proxy(self.is_forwarded)
    }
}

impl Read for ServerStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

impl Write for ServerStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(context, bytes)
    }
}
