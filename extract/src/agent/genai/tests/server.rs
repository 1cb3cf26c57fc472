//! A local server that gives prepared answers, one connection after the other.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender},
    },
    thread,
    time::Duration,
};

use serde_json::Value;

/// The server's answer to one connection.
#[derive(Clone)]
pub(super) enum Answer {
    /// A status line, headers and a body, as given except for `Content-Length`.
    Http { status: &'static str, headers: Vec<(&'static str, String)>, body: Vec<u8> },
    /// This many bytes of a larger body, then the end of the connection.
    Cut(&'static str),
    /// The end of the connection before the request is read, which resets the connection.
    Reset,
    /// Nothing for this long.
    Silence(Duration),
    /// This many bytes of a larger body, then nothing for this long.
    Stall(&'static str, Duration),
    /// A body of a content type in chunks of unknown number, and how it ends.
    Chunks(&'static str, Vec<Vec<u8>>, End),
}

/// How a body in chunks ends.
#[derive(Clone)]
pub(super) enum End {
    /// Properly.
    Whole,
    /// By closing the connection.
    Broken,
    /// Not before this much time has passed.
    Stalled(Duration),
    /// Properly, but from the second chunk on the server waits until it is told to continue.
    Gated(Arc<Mutex<Receiver<()>>>),
    /// Only when the client no longer listens, which is then reported; the last chunk is repeated
    /// until then.
    Never(Sender<()>),
}

impl Answer {
    pub(super) fn json(body: &Value) -> Self {
        Self::status("200 OK", body)
    }

    pub(super) fn status(status: &'static str, body: &Value) -> Self {
        Self::bytes(status, "application/json", body.to_string())
    }

    pub(super) fn bytes(status: &'static str, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::Http { status, headers: vec![("Content-Type", content_type.to_owned())], body: body.into() }
    }

    pub(super) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Self::Http { headers, .. } = &mut self {
            headers.push((name, value.into()));
        }
        self
    }
}

/// A request that arrived.
#[derive(Debug, Clone)]
pub(super) struct Received {
    pub(super) path: String,
    /// With names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Value,
}

impl Received {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

pub(super) struct Server {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    /// Answers as many connections as there are answers; further ones are refused.
    pub(super) fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::<Mutex<Vec<_>>>::default();
        let (answers, seen) = (answers.into_iter().collect::<Vec<_>>(), Arc::clone(&received));
        thread::spawn(move || {
            for answer in answers {
                let (stream, _) = listener.accept().unwrap();
                serve(stream, answer, &seen);
            }
        });
        Self { address, received }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    pub(super) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

/// Errors of writing are ignored: the client may do what it likes while it is answered.
fn serve(mut stream: TcpStream, answer: Answer, seen: &Mutex<Vec<Received>>) {
    if matches!(answer, Answer::Reset) {
        let _ = stream.read(&mut [0; 1]);
        return;
    }
    seen.lock().unwrap().push(read(&stream));
    match answer {
        Answer::Http { status, headers, body } => {
            let headers: Vec<_> =
                headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let (headers, length) = (headers.concat(), body.len());
            let head = format!(
                "HTTP/1.1 {status}\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n"
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        }
        Answer::Cut(start) => begin(&mut stream, start),
        Answer::Silence(time) => thread::sleep(time),
        Answer::Stall(start, time) => {
            begin(&mut stream, start);
            thread::sleep(time);
        }
        Answer::Chunks(content_type, chunks, end) => {
            let _ = send_chunks(&mut stream, content_type, &chunks, &end);
            if let End::Never(gone) = end {
                let _ = gone.send(());
            }
        }
        Answer::Reset => unreachable!("answered above"),
    }
}

fn send_chunks(
    stream: &mut TcpStream,
    content_type: &str,
    chunks: &[Vec<u8>],
    end: &End,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: {content_type}\r\nTransfer-Encoding: chunked\r\n\r\n"
    )?;
    let mut send = |chunk: &[u8]| {
        let head = format!("{:x}\r\n", chunk.len());
        stream.write_all(&[head.as_bytes(), chunk, b"\r\n"].concat())
    };
    for (index, chunk) in chunks.iter().enumerate() {
        if let End::Gated(gate) = end
            && index > 0
        {
            gate.lock().unwrap().recv_timeout(LONGEST_WAIT).map_err(std::io::Error::other)?;
        }
        send(chunk)?;
    }
    match end {
        End::Whole | End::Gated(_) => send(b""),
        End::Broken => Ok(()),
        End::Stalled(time) => {
            thread::sleep(*time);
            Ok(())
        }
        End::Never(_) => loop {
            send(chunks.last().unwrap())?;
            thread::sleep(Duration::from_millis(2));
        },
    }
}

/// How long a test waits for something that arrives at once unless the code is broken.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(20);

fn begin(stream: &mut TcpStream, start: &str) {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n";
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(start.as_bytes()));
}

fn read(stream: &TcpStream) -> Received {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    };
    let path = line().split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    while let Some((name, value)) = line().split_once(':') {
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, value)| value.parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    Received { path, headers, body: serde_json::from_slice(&body).unwrap_or_default() }
}
