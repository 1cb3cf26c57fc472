//! A server on this machine that does what goes wrong on the way, one connection after the other.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use serde_json::Value;

/// What the server does with one connection.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A status line, headers and a body, all of them as given but for `Content-Length`.
    Http {
        /// Code and reason, such as `200 OK`.
        status: &'static str,
        /// Names and values.
        headers: Vec<(&'static str, String)>,
        /// The body.
        body: Vec<u8>,
    },
    /// As many bytes of a larger body, then the end of the connection.
    Cut(&'static str),
    /// The end of the connection while the request is not read yet, which resets it.
    Reset,
    /// As many bytes of a larger body, then nothing for this long.
    Stall(&'static str, Duration),
    /// A body that is sent byte by byte, with so long between them.
    Drip(Vec<u8>, Duration),
    /// So many megabytes of a JSON string, with or without their number in front.
    Flood {
        /// Code and reason, such as `200 OK`.
        status: &'static str,
        /// How many.
        megabytes: usize,
        /// Whether `Content-Length` has their number.
        is_announced: bool,
    },
}

impl Answer {
    /// A success.
    pub fn json(body: &Value) -> Self {
        Self::status("200 OK", body)
    }

    /// A response with this status line, such as `429 Too Many Requests`.
    pub fn status(status: &'static str, body: &Value) -> Self {
        Self::bytes(status, "application/json", body.to_string())
    }

    /// A response with this status line and any body.
    pub fn bytes(status: &'static str, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::Http { status, headers: vec![("Content-Type", content_type.to_owned())], body: body.into() }
    }

    /// Adds a header to a response.
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Self::Http { headers, .. } = &mut self {
            headers.push((name, value.into()));
        }
        self
    }
}

/// A request that arrived.
#[derive(Debug, Clone)]
pub struct Received {
    /// The path, with its query.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The JSON of the body; null if it is not JSON.
    pub body: Value,
}

/// The server.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    sent: Arc<AtomicUsize>,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    /// Answers as many connections as there are answers; further ones are refused.
    pub fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            connections: Arc::default(),
            sent: Arc::default(),
            received: Arc::default(),
        };
        let answers: Vec<_> = answers.into_iter().collect();
        let (connections, sent, received) =
            (Arc::clone(&server.connections), Arc::clone(&server.sent), Arc::clone(&server.received));
        thread::spawn(move || {
            for answer in answers {
                let (stream, _) = listener.accept().unwrap();
                connections.fetch_add(1, Ordering::SeqCst);
                // One that is slow must not keep the next waiting.
                let (sent, received) = (Arc::clone(&sent), Arc::clone(&received));
                thread::spawn(move || serve(stream, answer, &sent, &received));
            }
        });
        server
    }

    /// The URL of a path, which is given without its first slash.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// How many requests were begun.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Bytes of floods that the other side took.
    pub fn sent(&self) -> usize {
        self.sent.load(Ordering::SeqCst)
    }

    /// The requests so far, in the order of their arrival.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

/// What a client does while it is answered is its own business, so errors of writing end the
/// answer.
fn serve(mut stream: TcpStream, answer: Answer, sent: &AtomicUsize, received: &Mutex<Vec<Received>>) {
    if matches!(answer, Answer::Reset) {
        let _ = stream.read(&mut [0; 1]);
        return;
    }
    let Some(request) = read(&stream) else { return };
    received.lock().unwrap().push(request);
    match answer {
        Answer::Http { status, headers, body } => {
            let headers = headers
                .iter()
                .map(|(name, value)| format!("{name}: {value}\r\n"))
                .collect::<Vec<_>>()
                .concat();
            let _ =
                begin(&mut stream, status, &headers, Some(body.len())).and_then(|()| stream.write_all(&body));
        }
        Answer::Cut(start) => stall(&mut stream, start, Duration::ZERO),
        Answer::Stall(start, time) => stall(&mut stream, start, time),
        Answer::Drip(body, pause) => {
            let _ = begin(&mut stream, "200 OK", JSON, Some(body.len()));
            for byte in body {
                if stream.write_all(&[byte]).is_err() {
                    return;
                }
                thread::sleep(pause);
            }
        }
        Answer::Flood { status, megabytes, is_announced } => {
            let chunk = vec![b'"'; 1 << 20];
            let length = is_announced.then_some(megabytes << 20);
            let _ = begin(&mut stream, status, JSON, length);
            for _ in 0..megabytes {
                if stream.write_all(&chunk).is_err() {
                    return;
                }
                sent.fetch_add(chunk.len(), Ordering::SeqCst);
            }
        }
        Answer::Reset => unreachable!("answered above"),
    }
}

const JSON: &str = "Content-Type: application/json\r\n";
const EVENTS: &str = "Content-Type: text/event-stream\r\n";

fn stall(stream: &mut TcpStream, start: &str, time: Duration) {
    let kind = if start.starts_with("data:") { EVENTS } else { JSON };
    let _ = begin(stream, "200 OK", kind, Some(1000)).and_then(|()| stream.write_all(start.as_bytes()));
    thread::sleep(time);
}

fn begin(stream: &mut TcpStream, status: &str, headers: &str, length: Option<usize>) -> std::io::Result<()> {
    let length = length.map(|length| format!("Content-Length: {length}\r\n")).unwrap_or_default();
    stream.write_all(format!("HTTP/1.1 {status}\r\nConnection: close\r\n{headers}{length}\r\n").as_bytes())
}

fn read(stream: &TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        Some(line.trim_end().to_owned())
    };
    let path = line()?.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    while let Some((name, value)) = line()?.split_once(':') {
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, value)| value.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    Some(Received { path, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}
