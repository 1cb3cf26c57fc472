//! A page that shows a running job, on this machine only: `run --status 127.0.0.1:0`.
//!
//! `state` has what is known, `request` reads a request and `page` renders answers, all without a
//! network; `server` connects them with a socket.

mod page;
mod request;
mod server;
mod state;

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};

use extract_bulk::{DeadLetter, Progress};

use self::{server::Server, state::State};
use crate::error::{Exit, Failure};

/// The page of a job, which is served as long as this value lives.
pub(crate) struct Status {
    state: Arc<State>,
    server: Server,
}

impl Status {
    /// Serves the page of the job called `title`.
    pub(crate) fn serve(address: SocketAddr, title: String) -> Result<Self, Failure> {
        let state = Arc::new(State::new(title));
        let server = Server::start(address, Arc::clone(&state)).map_err(|error| {
            Failure::new(Exit::Storage, format!("no page can be served at `{address}`: {error}"))
                .help("`--status 127.0.0.1:0` takes a free port")
        })?;
        Ok(Self { state, server })
    }

    /// The address of the page.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.server.address())
    }

    /// A handle that receives news of the job.
    pub(crate) fn told(&self) -> Told {
        Told(Arc::clone(&self.state))
    }

    /// Says how the job ended, and gives open pages a moment to see it.
    pub(crate) fn end(self, ended: &str) {
        self.state.end(ended);
        self.server.finish();
    }
}

/// Receives news of the job.
#[derive(Clone)]
pub(crate) struct Told(Arc<State>);

impl Told {
    pub(crate) fn progress(&self, progress: &Progress) {
        self.0.progress(progress);
    }

    pub(crate) fn failed(&self, letter: &DeadLetter) {
        self.0.failed(&letter.key, &letter.failure.name, &letter.failure.message);
    }
}

/// Reads an address of this machine.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    let text = text.replacen("localhost:", &format!("{}:", Ipv4Addr::LOCALHOST), 1);
    let address: SocketAddr =
        text.parse().map_err(|_| "an address with a port, such as 127.0.0.1:0 for a free one".to_owned())?;
    let is_local = match address.ip() {
        IpAddr::V4(ip) => ip.is_loopback(),
        IpAddr::V6(ip) => ip.is_loopback(),
    };
    if is_local {
        Ok(address)
    } else {
        Err("the page is for this machine only: 127.0.0.1 or [::1]".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_machine_are_taken() {
        for text in ["127.0.0.1:0", "localhost:8080", "[::1]:80", "127.1.2.3:1"] {
            assert!(address(text).is_ok(), "{text}");
        }
        for text in [
            "0.0.0.0:0",
            "[::]:0",
            "192.168.0.1:80",
            "127.0.0.1",
            ":0",
            "example.org:80",
            "[::ffff:127.0.0.1]:1",
        ] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
