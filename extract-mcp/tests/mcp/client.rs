//! A client with handwritten requests, over streamable HTTP.

use std::time::Duration;

use extract_mcp::Http;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::domain::Invoice;

/// A client with handwritten requests.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) port: u16,
    headers: Vec<(&'static str, String)>,
}

pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Client {
    pub(super) fn new(port: u16) -> Self {
        let headers = vec![
            ("Host", format!("127.0.0.1:{port}")),
            ("Content-Type", "application/json".to_owned()),
            ("Accept", "application/json, text/event-stream".to_owned()),
        ];
        Self { port, headers }
    }

    /// The same, with `name` set to `value`.
    pub(super) fn with(&self, name: &'static str, value: &str) -> Self {
        let mut headers: Vec<_> = self.headers.iter().filter(|header| header.0 != name).cloned().collect();
        headers.push((name, value.to_owned()));
        Self { port: self.port, headers }
    }

    pub(super) async fn send(&self, line: &str, body: &str) -> Answer {
        let length = body.len();
        let head = self.head(line);
        self.raw(format!("{head}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}").as_bytes())
            .await
            .unwrap_or_else(|| panic!("no answer to {line}"))
    }

    /// The request line and the headers, without the empty line after them.
    pub(super) fn head(&self, line: &str) -> String {
        let headers = self.headers.iter();
        headers
            .fold(format!("{line} HTTP/1.1\r\n"), |head, (name, value)| head + name + ": " + value + "\r\n")
    }

    /// The server's answer before it closes the connection, if any.
    pub(super) async fn raw(&self, request: &[u8]) -> Option<Answer> {
        let mut stream = self.write(request).await;
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Some(Answer { status, head: head.to_lowercase(), body: body.to_owned() })
    }

    /// A connection on which this was written, or as much of it as the server reads: one that
    /// rejects a request may close before it has read everything.
    pub(super) async fn write(&self, request: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let _ = stream.write_all(request).await;
        stream
    }

    pub(super) async fn post(&self, message: &Value) -> Answer {
        self.send("POST /mcp", &message.to_string()).await
    }

    /// The client with a session.
    pub(super) async fn greet(self) -> Self {
        let answer = self.post(&greeting()).await;
        assert_eq!(answer.status, 200, "{} {}", answer.head, answer.body);
        let session = answer.header("mcp-session-id").to_owned();
        let client = self.with("Mcp-Session-Id", &session);
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(client.post(&initialized).await.status, 202);
        client
    }

    pub(super) async fn call(&self, name: &str, arguments: Value) -> Value {
        let params = json!({"name": name, "arguments": arguments});
        let answer =
            self.post(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.event()["result"].clone()
    }
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> &str {
        let line = self.head.lines().find_map(|line| line.strip_prefix(name)).expect(name);
        line.trim_start_matches(':').trim()
    }

    /// The message of an event stream with one message.
    pub(super) fn event(&self) -> Value {
        let mut data = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        data.find_map(|line| serde_json::from_str(line).ok()).unwrap_or_else(|| panic!("{}", self.body))
    }
}

pub(super) fn greeting() -> Value {
    let params = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
}

pub(super) async fn listen() -> (Http, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    (Http::on(listener), port)
}

/// Serves until `client` is done.
pub(super) async fn served(http: Http, client: impl Future<Output = ()>) {
    let both = async {
        tokio::select! {
            served = extract_mcp::serve::<Invoice>().http(http) => panic!("{served:?}"),
            () = client => {}
        }
    };
    tokio::time::timeout(Duration::from_secs(60), both).await.unwrap();
}
