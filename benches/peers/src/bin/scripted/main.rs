//! A server for many requests at once, in its own process, so that its time does not count for a
//! client.
//!
//! ```text
//! scripted REPLY MILLISECONDS BYTES
//! ```
//!
//! Speaks like OpenAI's Chat Completions API on 127.0.0.1, and prints its address. Every request gets the text in the file
//! REPLY after that many milliseconds: as the content of the message, or as the arguments of the
//! tool that the client wants. A client that streams gets it in deltas of that many bytes.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::Duration,
};

use serde_json::{Value, json};

/// The response to every request.
struct Script {
    reply: String,
    delay: Duration,
    delta: usize,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [reply, delay, delta] = words.as_slice() else { panic!("scripted REPLY MILLISECONDS BYTES") };
    let script = Arc::new(Script {
        reply: std::fs::read_to_string(reply).expect("the reply is a file"),
        delay: Duration::from_millis(delay.parse().expect("a number of milliseconds")),
        delta: delta.parse().expect("a number of bytes"),
    });
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
    println!("http://{}/v1", listener.local_addr().expect("it is bound"));
    for stream in listener.incoming() {
        let (stream, script) = (stream.expect("a connection"), Arc::clone(&script));
        // A client that hangs up early is not a failure of the server.
        let served = move || drop(serve(&stream, &script));
        thread::Builder::new().stack_size(128 << 10).spawn(served).expect("a thread");
    }
}

/// Answers until the client hangs up.
fn serve(stream: &TcpStream, script: &Script) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut requests = BufReader::new(stream);
    while let Some(length) = content_length(&mut requests)? {
        let mut body = vec![0; length];
        requests.read_exact(&mut body)?;
        let request: Value = serde_json::from_slice(&body)?;
        thread::sleep(script.delay);
        if request["stream"] == true {
            streamed(stream, script, &request)?
        } else {
            whole(stream, script, &request)?
        }
    }
    Ok(())
}

fn whole(mut stream: &TcpStream, script: &Script, request: &Value) -> io::Result<()> {
    let tool = wanted_tool(request);
    let message = match &tool {
        None => json!({"role": "assistant", "content": script.reply, "refusal": null}),
        Some(tool) => {
            json!({"role": "assistant", "content": null, "refusal": null, "tool_calls": [call(tool, &script.reply)]})
        }
    };
    let reason = if tool.is_some() { "tool_calls" } else { "stop" };
    let body = completion(
        "chat.completion",
        json!({"index": 0, "message": message, "logprobs": null, "finish_reason": reason}),
    )
    .to_string();
    let length = body.len();
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all((head + &body).as_bytes())
}

/// Server-sent events, each in a chunk of HTTP.
fn streamed(mut stream: &TcpStream, script: &Script, request: &Value) -> io::Result<()> {
    stream.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    )?;
    let mut send = |data: &str| {
        let event = format!("data: {data}\n\n");
        stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes())
    };
    let mut event = |delta: Value, reason: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason});
        send(&completion("chat.completion.chunk", choice).to_string())
    };
    let tool = wanted_tool(request);
    match &tool {
        None => event(json!({"role": "assistant", "content": ""}), None)?,
        Some(tool) => {
            event(json!({"role": "assistant", "content": null, "tool_calls": [call(tool, "")]}), None)?
        }
    }
    let mut rest = script.reply.as_str();
    while !rest.is_empty() {
        let (delta, after) = rest.split_at(rest.floor_char_boundary_at(script.delta));
        rest = after;
        match &tool {
            None => event(json!({"content": delta}), None)?,
            Some(_) => event(json!({"tool_calls": [{"index": 0, "function": {"arguments": delta}}]}), None)?,
        }
    }
    event(json!({}), Some(if tool.is_some() { "tool_calls" } else { "stop" }))?;
    send("[DONE]")?;
    stream.write_all(b"0\r\n\r\n")
}

/// Where a string can be cut.
trait Cut {
    fn floor_char_boundary_at(&self, at: usize) -> usize;
}

impl Cut for str {
    fn floor_char_boundary_at(&self, at: usize) -> usize {
        (1..=at.min(self.len())).rev().find(|at| self.is_char_boundary(*at)).unwrap_or(self.len())
    }
}

fn call(tool: &str, arguments: &str) -> Value {
    json!({"index": 0, "id": "call_1", "type": "function", "function": {"name": tool, "arguments": arguments}})
}

fn completion(object: &str, choice: Value) -> Value {
    json!({
        "id": "chatcmpl-1", "object": object, "created": 1_760_000_000, "model": "gpt-4o-mini", "choices": [choice],
        "usage": {"prompt_tokens": 700, "completion_tokens": 300, "total_tokens": 1000},
    })
}

/// The tool that the client forces, or else the first.
fn wanted_tool(request: &Value) -> Option<String> {
    let forced = request["tool_choice"]["function"]["name"].as_str();
    forced.or_else(|| request["tools"][0]["function"]["name"].as_str()).map(str::to_owned)
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
