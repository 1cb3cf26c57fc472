//! Checks any lines from a client of the MCP server.

use std::time::Duration;

use extract::Toolkit;
use extract_mcp::Server;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// The first messages of a client.
const GREETING: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"f","version":"0"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
);

/// Bytes of the answer to one request: the result has the schema, or a report of bounded size.
const MAX_ANSWER: usize = 64 << 10;

/// Panics if a property does not hold. The first byte decides whether the client introduces itself.
pub fn check(data: &[u8]) {
    let Some((first, lines)) = data.split_first() else { return };
    let greeting = if first % 2 == 0 { GREETING } else { "" };
    let sent = [greeting.as_bytes(), lines].concat();
    let requests = sent.split(|byte| *byte == b'\n').count();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let answers = runtime.block_on(async {
        tokio::time::timeout(Duration::from_secs(20), answers(&sent))
            .await
            .expect("the server ends when its client does")
    });
    assert!(answers.len() <= MAX_ANSWER * (requests + 1), "{} bytes", answers.len());
    for line in answers.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let answer: Value = serde_json::from_slice(line).expect("an answer is JSON");
        assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
    }
}

async fn answers(sent: &[u8]) -> Vec<u8> {
    let (client, server) = tokio::io::duplex(1 << 20);
    let toolkit = Toolkit::<Vec<Option<u8>>>::new().expect("the schema compiles");
    let serving = Server::new("fuzzed").with(toolkit, |_| {}).over(server);
    let (mut from, mut to) = tokio::io::split(client);
    let mut answers = Vec::new();
    let talking = async {
        let _ = to.write_all(sent).await;
        let _ = to.shutdown().await;
    };
    let reading = async {
        let _ = from.read_to_end(&mut answers).await;
    };
    let (_, (), ()) = tokio::join!(serving, talking, reading);
    answers
}
