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
        legacy::connect::{Connected, Connection, HttpConnector, proxy::Tunnel},
        proxy::matcher::Matcher,
    },
    rt::TokioIo,
};
use tokio::net::TcpStream;
use tower_service::Service;

type BoxError = Box<dyn Error + Send + Sync>;

/// Opens connections, through the proxies that are set: by a tunnel for what is encrypted, else as
/// one that forwards each request.
#[derive(Clone)]
pub(super) struct Connector {
    pub(super) tcp: HttpConnector,
    pub(super) proxies: Arc<Matcher>,
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Stream, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.tcp.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let Some(proxy) = self.proxies.intercept(&to) else {
            let connecting = self.tcp.call(to);
            return Box::pin(async move { Ok(Stream { io: connecting.await?, is_forwarded: false }) });
        };
        if proxy.uri().scheme() != Some(&Scheme::HTTP) {
            let message = "the proxy is not one that is reached over `http://`";
            return Box::pin(async move { Err(message.into()) });
        }
        if to.scheme() != Some(&Scheme::HTTPS) {
            let connecting = self.tcp.call(proxy.uri().clone());
            return Box::pin(async move { Ok(Stream { io: connecting.await?, is_forwarded: true }) });
        }
        let tunnel = Tunnel::new(proxy.uri().clone(), self.tcp.clone());
        let mut tunnel = match proxy.basic_auth() {
            Some(login) => tunnel.with_auth(login.clone()),
            None => tunnel,
        };
        let connecting = tunnel.call(to);
        Box::pin(async move { Ok(Stream { io: connecting.await?, is_forwarded: false }) })
    }
}

/// A connection.
pub(super) struct Stream {
    io: TokioIo<TcpStream>,
    /// Whether a proxy at its end has to be told where each request goes.
    is_forwarded: bool,
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        self.io.inner().connected().proxy(self.is_forwarded)
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

impl Write for Stream {
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
