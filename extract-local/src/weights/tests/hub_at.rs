//! A scripted hub on 127.0.0.1.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use super::{CONTENT, Hub};

/// The requests to a hub: the request line and headers, one string for each request.
#[derive(Clone, Default)]
pub(super) struct Requests(Arc<Mutex<Vec<String>>>);

impl Requests {
    pub(super) fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    pub(super) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// The answer of a hub.
pub(super) enum Reply {
    /// [`CONTENT`], or the requested part.
    Honest,
    /// The head up to the empty line, and a body.
    Bytes(String, Vec<u8>),
    /// The head, and then this body repeatedly, until the client disconnects.
    Endless(String, Vec<u8>),
    /// A head without an end: this header repeatedly.
    Headers(Vec<u8>),
}

/// Serves for as long as the test runs: the request with this number (from 0) gets `reply(number)`.
pub(super) fn hub(reply: impl Fn(usize) -> Reply + Send + 'static) -> (Hub, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let requests = Requests::default();
    let record = requests.clone();
    thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let request: Vec<String> = BufReader::new(&stream)
                .lines()
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty())
                .collect();
            record.0.lock().unwrap().push(request.join("\n"));
            // A client may disconnect.
            let _ = send(&mut stream, &request, reply(number));
        }
    });
    (Hub::at(endpoint), requests)
}

fn send(stream: &mut TcpStream, head: &[String], reply: Reply) -> std::io::Result<()> {
    match reply {
        Reply::Honest => {
            let (head, body) = honest(head);
            stream.write_all(format!("{head}\r\n\r\n").as_bytes())?;
            stream.write_all(body)
        }
        Reply::Bytes(head, body) => {
            // Each connection serves one request. Without this header a client would reuse it.
            stream.write_all(format!("{head}\r\nConnection: close\r\n\r\n").as_bytes())?;
            stream.write_all(&body)
        }
        Reply::Endless(head, body) => {
            stream.write_all(format!("{head}\r\n\r\n").as_bytes())?;
            again_and_again(stream, &body)
        }
        Reply::Headers(header) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n")?;
            again_and_again(stream, &header)
        }
    }
}

fn again_and_again(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    loop {
        stream.write_all(bytes)?;
    }
}

fn honest(head: &[String]) -> (String, &'static [u8]) {
    let range = head.iter().find_map(|line| {
        line.to_ascii_lowercase().strip_prefix("range: bytes=")?.strip_suffix('-')?.parse::<usize>().ok()
    });
    let body = &CONTENT[range.unwrap_or(0)..];
    let (total, last) = (CONTENT.len(), CONTENT.len() - 1);
    let status = match range {
        Some(from) => format!("206 Partial Content\r\nContent-Range: bytes {from}-{last}/{total}"),
        None => "200 OK".to_owned(),
    };
    let length = body.len();
    (format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close"), body)
}
