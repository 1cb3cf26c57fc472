//! A server on this machine that gives prepared answers, one connection after the other.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

/// What the server does with one connection.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// A status line, headers and a body, all of them as given but for `Content-Length`.
    Http { status: &'static str, headers: Vec<(String, String)>, body: Vec<u8> },
    /// As many bytes of a larger body, then the end of the connection.
    Cut(&'static str, Vec<u8>),
    /// The end of the connection while the request is not read yet, which resets it.
    Reset,
    /// As many bytes of a larger body, then nothing for this long.
    Stall(&'static str, Vec<u8>, Duration),
    /// So many megabytes of a body without a length, or with one.
    Flood { status: &'static str, kind: &'static str, megabytes: usize, is_announced: bool },
    /// So many bytes of headers.
    Headers(usize),
    /// A stream, in pieces, and whether it is never closed.
    Pieces { kind: &'static str, pieces: Vec<Vec<u8>>, stays_open: bool },
}

impl Answer {
    pub(crate) fn json(body: &Value) -> Self {
        Self::status("200 OK", body)
    }

    pub(crate) fn status(status: &'static str, body: &Value) -> Self {
        Self::bytes(status, "application/json", body.to_string())
    }

    pub(crate) fn bytes(status: &'static str, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::Http { status, headers: vec![("Content-Type".to_owned(), kind.to_owned())], body: body.into() }
    }

    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        if let Self::Http { headers, .. } = &mut self {
            headers.push((name.to_owned(), value.into()));
        }
        self
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) path: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) body: Value,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

pub(crate) struct Server {
    address: SocketAddr,
    sent: Arc<AtomicUsize>,
    closed: Arc<AtomicUsize>,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    /// Answers as many connections as there are answers; further ones are refused.
    pub(crate) fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (sent, closed, received) =
            (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default(), Arc::<Mutex<Vec<_>>>::default());
        let server = Self {
            address: listener.local_addr().unwrap(),
            sent: Arc::clone(&sent),
            closed: Arc::clone(&closed),
            received: Arc::clone(&received),
        };
        let answers: Vec<_> = answers.into_iter().collect();
        thread::spawn(move || {
            for answer in answers {
                let (stream, _) = listener.accept().unwrap();
                // One that is slow must not keep the next waiting.
                let (sent, closed, received) =
                    (Arc::clone(&sent), Arc::clone(&closed), Arc::clone(&received));
                thread::spawn(move || serve(stream, answer, &sent, &closed, &received));
            }
        });
        server
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Bytes of floods that the other side took.
    pub(crate) fn sent(&self) -> usize {
        self.sent.load(Ordering::SeqCst)
    }

    /// Whether the client closes a connection that stays open here, within some seconds.
    pub(crate) fn is_closed_soon(&self) -> bool {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(10) {
            if self.closed.load(Ordering::SeqCst) > 0 {
                return true;
            }
            thread::sleep(Duration::from_millis(5));
        }
        false
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// The only request.
    pub(crate) fn only(&self) -> Received {
        let received = self.received();
        assert_eq!(received.len(), 1);
        received.into_iter().next().unwrap()
    }
}

/// What a client does while it is answered is its own business, so errors of writing end the answer.
fn serve(
    mut stream: TcpStream,
    answer: Answer,
    sent: &AtomicUsize,
    closed: &AtomicUsize,
    received: &Mutex<Vec<Received>>,
) {
    if matches!(answer, Answer::Reset) {
        let _ = stream.read(&mut [0; 1]);
        return;
    }
    let Some(request) = read(&stream) else { return };
    received.lock().unwrap().push(request);
    match answer {
        Answer::Http { status, headers, body } => {
            let lines: Vec<_> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let headers = lines.concat();
            let _ =
                begin(&mut stream, status, &headers, Some(body.len())).and_then(|()| stream.write_all(&body));
        }
        Answer::Cut(kind, body) => stall(&mut stream, kind, &body, Duration::ZERO),
        Answer::Stall(kind, body, time) => stall(&mut stream, kind, &body, time),
        Answer::Flood { status, kind, megabytes, is_announced } => {
            let chunk = vec![b'"'; 1 << 20];
            let length = is_announced.then_some(megabytes << 20);
            let _ = begin(&mut stream, status, &content_type(kind), length);
            for _ in 0..megabytes {
                if stream.write_all(&chunk).is_err() {
                    return;
                }
                sent.fetch_add(chunk.len(), Ordering::SeqCst);
            }
        }
        Answer::Headers(bytes) => {
            let header = format!("X-Long: {}\r\n", "x".repeat(bytes));
            let _ = begin(&mut stream, "200 OK", &header, Some(0));
        }
        Answer::Pieces { kind, pieces, stays_open } => {
            let _ = begin(&mut stream, "200 OK", &content_type(kind), None);
            let _ = stream.set_nodelay(true);
            for piece in &pieces {
                if stream.write_all(piece).is_err() {
                    break;
                }
                thread::sleep(Duration::from_millis(1));
            }
            // Nothing else is sent, so this returns when the client is gone.
            if stays_open && matches!(stream.read(&mut [0; 1]), Ok(0) | Err(_)) {
                closed.fetch_add(1, Ordering::SeqCst);
            }
        }
        Answer::Reset => unreachable!("answered above"),
    }
}

fn content_type(kind: &str) -> String {
    format!("Content-Type: {kind}\r\n")
}

fn stall(stream: &mut TcpStream, kind: &str, start: &[u8], time: Duration) {
    let _ =
        begin(stream, "200 OK", &content_type(kind), Some(100_000)).and_then(|()| stream.write_all(start));
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
    let mut bytes = vec![0; length.map_or(0, |(_, value)| value.parse().unwrap())];
    reader.read_exact(&mut bytes).ok()?;
    let is_json = headers.iter().any(|(name, value)| name == "content-type" && value == "application/json");
    let body = if is_json && !bytes.is_empty() {
        serde_json::from_slice(&bytes).expect("each body is JSON")
    } else {
        Value::Null
    };
    Some(Received { path, headers, bytes, body })
}
