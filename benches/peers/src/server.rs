//! A server on this machine that gives every request the same answer.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::json;

/// A server that speaks like OpenAI's Chat Completions API and always replies with the same text.
/// It keeps connections open, and works in separate threads.
pub struct Server {
    address: SocketAddr,
    last: Arc<Mutex<Vec<u8>>>,
}

impl Server {
    /// Starts a server on 127.0.0.1 that replies with `text`.
    pub fn start(text: &str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let last = Arc::new(Mutex::new(Vec::new()));
        let (response, seen) = (Arc::new(response(text)), Arc::clone(&last));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, response, seen) =
                    (stream.expect("a connection"), Arc::clone(&response), Arc::clone(&seen));
                thread::spawn(move || serve(&stream, &response, &seen).expect("the client stays to the end"));
            }
        });
        Self { address, last }
    }

    /// The address of the API, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The body of the last request.
    pub fn last_body(&self) -> Vec<u8> {
        self.last.lock().expect("no thread panicked").clone()
    }
}

/// A chat completion with `text`, as bytes on the wire.
fn response(text: &str) -> Vec<u8> {
    let body = json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": "gpt-4o-mini-2024-07-18",
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": text, "refusal": null, "annotations": []},
            "logprobs": null,
            "finish_reason": "stop",
        }],
        "usage": {
            "prompt_tokens": 700,
            "completion_tokens": 300,
            "total_tokens": 1000,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        },
        "service_tier": "default",
    })
    .to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    (head + &body).into_bytes()
}

/// Answers until the client hangs up.
fn serve(stream: &TcpStream, response: &[u8], seen: &Mutex<Vec<u8>>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut requests = BufReader::new(stream);
    while let Some(length) = content_length(&mut requests)? {
        let mut body = vec![0; length];
        requests.read_exact(&mut body)?;
        *seen.lock().expect("no thread panicked") = body;
        (&*stream).write_all(response)?;
    }
    Ok(())
}

/// Reads the head of a request; `None` at the end of the connection.
fn content_length(requests: &mut BufReader<&TcpStream>) -> io::Result<Option<usize>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if requests.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().expect("a length is a number");
            }
            None if line == "\r\n" => return Ok(Some(length)),
            _ => {}
        }
    }
}
