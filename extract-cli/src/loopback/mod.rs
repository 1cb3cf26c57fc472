//! Pages that a program serves on this machine only.
//!
//! `request` reads requests and `answer` has what every answer says to a browser, both without a
//! network; `server` connects a [`Site`] with a socket.

mod answer;
mod request;
mod server;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

pub(crate) use self::{
    answer::LoopbackAnswer,
    request::{LoopbackRequest, Method, RefusedRequest},
    server::{LoopbackServer, Site},
};

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
