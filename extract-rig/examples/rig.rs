//! From rig's `Extractor` to this library: the same model, the same type, one line changed.
//!
//! ```text
//! cargo run -p extractable-rig --example rig
//! ```
//!
//! With `OPENAI_API_KEY` set it asks OpenAI (`OPENAI_BASE_URL` and `OPENAI_MODEL` say otherwise). Without one it asks a
//! server of its own on this machine, which answers wrongly first, so that it can be seen what both do about it.

use std::{
    error::Error,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread,
};

use extract::Extractable;
use extract_rig::{
    BoundedHttp, RigAgent, RigModel,
    rig_agent::{Agent, AgentBuilder, extractor::ExtractorBuilder},
    rig_core::{
        Model,
        providers::openai::{OpenAI, OpenAIConfig, wire::Chat},
        schemars::{self, JsonSchema},
    },
};
use serde::{Deserialize, Serialize};

const TEXT: &str = "John Doe turned thirty last week, and there was cake.";

/// Somebody who is mentioned.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Extractable)]
struct Person {
    /// First and last name.
    #[extract(length(min = 1), example = "Ada Lovelace")]
    name: String,
    /// In years.
    #[extract(range(max = 130))]
    age: u8,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("before, rig's extractor, which does not say what was wrong:");
    match before(model()?).await {
        Ok(person) => println!("  {person:?}"),
        Err(error) => println!("  {error}"),
    }
    println!("after, the same model:");
    println!("  {}", after(model()?).await?);
    println!("and a rig agent with a preamble of its own:");
    println!("  {}", agent(AgentBuilder::new(model()?).preamble("You are a careful clerk.").build()).await?);
    Ok(())
}

async fn before(model: Model<Chat>) -> Result<Person, Box<dyn Error>> {
    Ok(ExtractorBuilder::<Person>::new(model).build().extract(TEXT).await?.output)
}

async fn after(model: Model<Chat>) -> Result<String, Box<dyn Error>> {
    let (person, metrics) = Person::extract(&RigModel::from(model), TEXT).await?;
    Ok(format!("{person:?} ({metrics})"))
}

async fn agent(agent: Agent) -> Result<String, Box<dyn Error>> {
    let (person, metrics) = Person::extract(&RigAgent::from(agent), TEXT).await?;
    Ok(format!("{person:?} ({metrics})"))
}

fn model() -> Result<Model<Chat>, Box<dyn Error>> {
    let http = BoundedHttp::new()?;
    if std::env::var_os("OPENAI_API_KEY").is_some() {
        let model = std::env::var("OPENAI_MODEL").unwrap_or_else(|_| "gpt-6-luna".to_owned());
        return Ok(OpenAI::from_env()?.with_http(http).chat(model));
    }
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/v1", listener.local_addr()?);
    thread::spawn(move || serve(&listener));
    Ok(OpenAIConfig::new("no key").with_base_url(url).connect(http).chat("a script"))
}

/// Answers with an age in words first.
fn serve(listener: &TcpListener) -> std::io::Result<()> {
    let replies = [r#"{"name": "John Doe", "age": "thirty"}"#, r#"{"name": "John Doe", "age": 30}"#];
    for reply in replies {
        let (stream, _) = listener.accept()?;
        answer(stream, reply)?;
    }
    Ok(())
}

fn answer(mut stream: TcpStream, reply: &str) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse().unwrap_or_default();
            }
            None if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let mut request = vec![0; length];
    reader.read_exact(&mut request)?;
    let request: serde_json::Value = serde_json::from_slice(&request).unwrap_or_default();
    // rig's extractor asks for a call of its tool, whose arguments are the value.
    let message = match request.pointer("/tools/0/function/name") {
        Some(tool) => serde_json::json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": tool, "arguments": reply}},
        ]}),
        None => serde_json::json!({"role": "assistant", "content": reply}),
    };
    let body = serde_json::json!({
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 12, "total_tokens": 132},
    });
    let body = body.to_string();
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n";
    write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len())
}
