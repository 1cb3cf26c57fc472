//! A server that speaks like OpenAI, on 127.0.0.1.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};

type Bodies = Arc<Mutex<Vec<Value>>>;

/// The server; it ends with the process.
pub(crate) struct Server {
    url: String,
    asked: Bodies,
}

/// What a response is.
pub(crate) enum Response {
    /// A reply of the model.
    Reply(String),
    /// An HTTP status with nothing.
    Status(u16),
}

impl Server {
    /// A server whose model replies what `respond` makes of the text of a request.
    pub(crate) fn new(respond: impl Fn(&str) -> Response + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Bodies::default();
        let (bodies, respond) = (Arc::clone(&asked), Arc::new(respond));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (bodies, respond) = (Arc::clone(&bodies), Arc::clone(&respond));
                // A client that goes away is no failure of the server.
                thread::spawn(move || serve(&stream, &bodies, &*respond));
            }
        });
        Self { url, asked }
    }

    /// One that always replies the same.
    pub(crate) fn replying(text: &str) -> Self {
        let text = text.to_owned();
        Self::new(move |_| Response::Reply(text.clone()))
    }

    /// The options that choose it.
    pub(crate) fn options(&self) -> [&str; 4] {
        ["--agent", "openai/scripted", "--base-url", &self.url]
    }

    /// The bodies of all requests until now.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(stream: &TcpStream, bodies: &Bodies, respond: &dyn Fn(&str) -> Response) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    bodies.lock().unwrap().push(body.clone());
    let (status, text) = match respond(&body.to_string()) {
        Response::Status(status) => (status, "{}".to_owned()),
        Response::Reply(text) => (200, reply(&text).to_string()),
    };
    let head = format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\n");
    let mut stream = stream;
    write!(stream, "{head}content-length: {}\r\n\r\n{text}", text.len()).ok()
}

fn reply(text: &str) -> Value {
    json!({
        "id": "r1", "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    })
}
