//! Proxies, and certificates of an authority of one's own.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    process::Command,
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use extract::agent::{Agent as _, AgentErrorKind};
use extract_agents::ProviderAgent;
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};

use crate::{
    KEY,
    faults::everything,
    formats::{replied, stop, whole},
    request,
    server::Server,
};

const AUTHORITY: &str = include_str!("../fixtures/authority.pem");

/// `Basic` with `me:hunter22hunter` in base64.
const LOGIN: &str = "Basic bWU6aHVudGVyMjJodW50ZXI=";

fn agent_at(url: &str) -> ProviderAgent {
    ProviderAgent::at(url, "openai/some-model").unwrap().key(KEY)
}

fn with_login(server: &Server) -> String {
    server.url("").replace("http://", "http://me:hunter22hunter@")
}

/// A proxy that takes one connection, and what it was sent before its answer and behind it.
fn proxy_that_answers(answer: &'static str) -> (SocketAddr, JoinHandle<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let thread = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let head = head(&mut stream);
        stream.write_all(answer.as_bytes()).unwrap();
        let mut next = vec![0; 3];
        let count = stream.read(&mut next).unwrap_or(0);
        (head, next[..count].to_vec())
    });
    (address, thread)
}

fn head(stream: &mut impl std::io::Read) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

#[tokio::test]
async fn a_proxy_forwards_what_is_not_encrypted() {
    let server = Server::start([replied("openai", "{}")]);
    let agent = agent_at("http://provider.example/v1").proxy(with_login(&server)).unwrap();
    agent.respond(&request()).await.unwrap();
    let received = server.only();
    assert_eq!(received.path, "http://provider.example/v1/chat/completions");
    assert_eq!(received.header("proxy-authorization"), Some(LOGIN));
    assert_eq!(received.header("host"), Some("provider.example"));
}

#[tokio::test]
async fn what_is_encrypted_goes_through_a_tunnel() {
    let (address, proxy) = proxy_that_answers("HTTP/1.1 200 Connection established\r\n\r\n");
    let agent = agent_at("https://provider.example/v1").proxy(format!("http://me:hunter22hunter@{address}"));
    let error = agent.unwrap().respond(&request()).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Transport, "the proxy went away: {error}");
    let (head, next) = proxy.join().unwrap();
    assert!(head.starts_with("CONNECT provider.example:443 HTTP/1.1\r\n"), "{head}");
    assert!(
        head.to_lowercase().contains(&format!("proxy-authorization: {}", LOGIN.to_lowercase())),
        "{head}"
    );
    assert!(!head.contains(KEY), "{head}");
    assert_eq!(next, [22, 3, 1], "a handshake of TLS follows");
}

#[tokio::test]
async fn a_proxy_that_wants_a_login_is_an_error_that_stays() {
    let (address, _proxy) = proxy_that_answers("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    let agent = agent_at("https://provider.example/v1").proxy(format!("http://me:hunter22hunter@{address}"));
    let error = agent.unwrap().respond(&request()).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Refused);
    assert!(error.message().contains("proxy authorization required"), "{error}");
    let shown = everything(&error);
    assert!(!shown.contains("hunter22") && !shown.contains(LOGIN), "{shown}");
}

#[tokio::test]
async fn only_a_proxy_that_is_reached_over_http_or_socks_is_taken() {
    for wrong in ["proxy:3128", "https://proxy:3128", "socks4://proxy:1080", "http://", "socks5://"] {
        assert!(agent_at("http://localhost/v1").proxy(wrong).is_err(), "{wrong}");
    }
}

#[tokio::test]
async fn the_host_is_the_one_of_the_address_unless_a_header_names_another() {
    let server = Server::start((0..2).map(|_| replied("openai", "{}")));
    let agent = agent_at(&server.url("/v1")).no_proxy();
    agent.respond(&request()).await.unwrap();
    agent.header("Host", "provider.example").unwrap().respond(&request()).await.unwrap();
    let hosts: Vec<_> =
        server.received().iter().map(|received| received.header("host").unwrap().to_owned()).collect();
    assert_eq!(hosts, [&server.url("")[7..], "provider.example"]);
}

/// Something that takes connections and says nothing.
fn silent() -> (SocketAddr, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    (listener.local_addr().unwrap(), listener)
}

#[tokio::test]
async fn a_handshake_that_does_not_end_is_a_connection_that_is_not_there() {
    let (address, _listener) = silent();
    let far = "https://provider.example/v1";
    for (what, url, proxy) in [
        ("TLS", format!("https://{address}/v1"), None),
        ("a tunnel", far.to_owned(), Some(format!("http://{address}"))),
        ("SOCKS", far.to_owned(), Some(format!("socks5://{address}"))),
    ] {
        let agent = agent_at(&url).connect_timeout(Duration::from_millis(200));
        let agent =
            proxy.map_or_else(|| agent.clone().no_proxy(), |proxy| agent.clone().proxy(proxy).unwrap());
        let (start, asked) = (Instant::now(), request());
        let error = tokio::time::timeout(Duration::from_secs(8), agent.respond(&asked)).await;
        let error =
            error.unwrap_or_else(|_| panic!("{what}: no end after {:?}", start.elapsed())).unwrap_err();
        assert_eq!(error.kind(), AgentErrorKind::Timeout, "{what}: {error}");
        assert!(error.message().contains("timed out after 200ms"), "{what}: {error}");
    }
}

/// A SOCKS 5 proxy (RFC 1928 and 1929) that takes one connection and leads it to `server`. Returns
/// what it was sent: the methods, the login, and the address without its first three bytes.
fn socks_proxy(server: SocketAddr, method: u8, accepts: u8) -> (SocketAddr, JoinHandle<Vec<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let thread = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut seen = Vec::new();
        let take = |stream: &mut TcpStream, count: u8| {
            let mut bytes = vec![0; count.into()];
            stream.read_exact(&mut bytes).unwrap();
            bytes
        };
        let methods = take(&mut stream, 2)[1];
        seen.push(take(&mut stream, methods));
        stream.write_all(&[5, method]).unwrap();
        if method == 2 {
            let length = take(&mut stream, 2)[1];
            seen.push(take(&mut stream, length));
            let length = take(&mut stream, 1)[0];
            seen.push(take(&mut stream, length));
            stream.write_all(&[1, accepts]).unwrap();
            if accepts != 0 {
                return seen;
            }
        }
        let head = take(&mut stream, 5);
        assert_eq!(head[..4], [5, 1, 0, 3], "connect to a name");
        seen.push(take(&mut stream, head[4] + 2));
        stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).unwrap();
        let mut onward = TcpStream::connect(server).unwrap();
        let (mut from, mut to) = (stream.try_clone().unwrap(), onward.try_clone().unwrap());
        thread::spawn(move || std::io::copy(&mut from, &mut to));
        let _ = std::io::copy(&mut onward, &mut stream);
        seen
    });
    (address, thread)
}

#[tokio::test]
async fn a_socks_proxy_relays_a_request_as_it_is() {
    for (scheme, host, port) in
        [("socks5", "provider.example", 80_u16), ("socks5h", "other.example:8080", 8080)]
    {
        let server = Server::start([replied("openai", "{}")]);
        let (address, proxy) = socks_proxy(server.url("")[7..].parse().unwrap(), 0, 0);
        let agent = agent_at(&format!("http://{host}/v1")).proxy(format!("{scheme}://{address}")).unwrap();
        agent.respond(&request()).await.unwrap();
        let received = server.only();
        assert_eq!((&*received.path, received.header("host")), ("/v1/chat/completions", Some(host)));
        drop((agent, server));
        let name = [host.split(':').next().unwrap().as_bytes(), &port.to_be_bytes()].concat();
        assert_eq!(proxy.join().unwrap(), [vec![0], name], "resolved by the proxy");
    }
}

#[tokio::test]
async fn a_socks_proxy_is_given_the_login_and_may_refuse_it() {
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 9));
    let (address, proxy) = socks_proxy(nowhere, 2, 1);
    let agent =
        agent_at("https://provider.example/v1").proxy(format!("socks5://me:hunter22hunter@{address}"));
    let error = agent.unwrap().respond(&request()).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Refused, "{error}");
    assert!(!everything(&error).contains("hunter22"), "{error}");
    assert_eq!(proxy.join().unwrap(), [&[2][..], b"me", b"hunter22hunter"]);
}

/// Runs in a process of its own, because variables apply to the whole process.
#[tokio::test]
async fn the_variables_for_proxies_decide_where_nothing_else_is_said() {
    const ASKED: &str = "EXTRACT_TEST_OF_PROXIES";
    const DIRECTLY: &str = "EXTRACT_TEST_WITHOUT_PROXIES";
    if let Ok(url) = std::env::var(ASKED) {
        let agent = agent_at(&url);
        let agent = if std::env::var_os(DIRECTLY).is_some() { agent.no_proxy() } else { agent };
        agent.respond(&request()).await.unwrap();
        return;
    }
    let name = "connections::the_variables_for_proxies_decide_where_nothing_else_is_said";
    let run = |variables: &[(&str, &str)]| {
        let mut inner = Command::new(std::env::current_exe().unwrap());
        for name in
            ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"]
        {
            inner.env_remove(name);
        }
        let output = inner.args(["--exact", name]).envs(variables.iter().copied()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    };
    let dead = "http://127.0.0.1:9";
    let server = Server::start((0..4).map(|_| replied("openai", "{}")));
    run(&[(ASKED, "http://provider.example/v1"), ("HTTP_PROXY", &server.url(""))]);
    run(&[(ASKED, &server.url("/v1")), ("HTTP_PROXY", dead), ("NO_PROXY", "127.0.0.1")]);
    run(&[(ASKED, &server.url("/v1")), ("HTTP_PROXY", dead), (DIRECTLY, "1")]);
    let (socks, _proxy) = socks_proxy(server.url("")[7..].parse().unwrap(), 0, 0);
    run(&[(ASKED, "http://provider.example/v1"), ("ALL_PROXY", &format!("socks5h://{socks}"))]);
    let paths: Vec<_> = server.received().into_iter().map(|received| received.path).collect();
    let path = "/v1/chat/completions";
    assert_eq!(paths, [&*format!("http://provider.example{path}"), path, path, path]);
}

/// A server whose certificate the authority of the fixtures signed.
fn encrypted_server(answers: usize) -> String {
    let certificate = include_bytes!("../fixtures/server.pem");
    let key = include_bytes!("../fixtures/server.key");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(certificate).unwrap()],
            PrivateKeyDer::from_pem_slice(key).unwrap(),
        )
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}/v1", listener.local_addr().unwrap().port());
    let config = Arc::new(config);
    thread::spawn(move || {
        for _ in 0..answers {
            let (stream, _) = listener.accept().unwrap();
            // A client that does not trust it goes away.
            let _ = serve(stream, Arc::clone(&config));
        }
    });
    url
}

fn serve(stream: TcpStream, config: Arc<ServerConfig>) -> std::io::Result<()> {
    let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
    stream.conn.complete_io(&mut stream.sock)?;
    let head = head(&mut stream).to_lowercase();
    let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    stream.read_exact(&mut vec![0; length])?;
    let body = whole("openai", "8", stop("openai")).to_string();
    let start = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length:";
    write!(stream, "{start} {}\r\n\r\n{body}", body.len())?;
    stream.flush()
}

#[tokio::test]
async fn a_certificate_is_trusted_if_its_authority_is() {
    let url = encrypted_server(2);
    let stranger = agent_at(&url).no_proxy();
    let error = stranger.respond(&request()).await.unwrap_err();
    assert!(error.message().contains("certificate"), "{error}");
    let agent = stranger.root_certificates(AUTHORITY).unwrap();
    assert_eq!(agent.respond(&request()).await.unwrap().text(), "8");
    for wrong in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAQI=\n-----END CERTIFICATE-----\n"] {
        let error = agent.clone().root_certificates(wrong).unwrap_err();
        assert!(error.message().starts_with("no root certificates in PEM"), "{error}");
    }
}
