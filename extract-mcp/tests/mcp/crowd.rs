//! Many idle connections, and one client.
//!
//! Nothing is timed: the idle connections stay as long as the client needs. A server that waits for
//! them first does not answer within the time limit of the test.

use std::time::Duration;

use extract::Extractable;
use extract_mcp::Http;
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::client::{Client, greeting, listen, served};
use crate::domain::good;

/// More than the limits of idle connections and requests together; few enough for the number of
/// files of a process.
const CROWD: usize = 450;

const TOKEN: &str = "correct horse";

/// Opens many connections that all write this and then nothing.
async fn crowd(client: &Client, write: &str) -> Vec<TcpStream> {
    let mut crowd = Vec::new();
    for _ in 0..CROWD {
        crowd.push(client.write(write.as_bytes()).await);
    }
    crowd
}

/// A client with the token is served while there are many connections without it.
async fn is_served_beside(
    http: Http,
    port: u16,
    unauthorized: Client,
    write: impl FnOnce(&Client) -> String,
) {
    served(http, async {
        let crowd = crowd(&unauthorized, &write(&unauthorized)).await;
        let client = Client::new(port).with("Authorization", &format!("Bearer {TOKEN}")).greet().await;
        let result = client.call("validate", good()).await;
        assert_eq!(result["structuredContent"]["status"], "valid");
        drop(crowd);
    })
    .await;
}

#[tokio::test]
async fn connections_that_send_nothing_do_not_block_a_client() {
    let (http, port) = listen().await;
    is_served_beside(http.bearer_token(TOKEN), port, Client::new(port), |_| String::new()).await;
}

#[tokio::test]
async fn half_sent_heads_do_not_block_a_client() {
    let (http, port) = listen().await;
    is_served_beside(http.bearer_token(TOKEN), port, Client::new(port), |client| client.head("POST /mcp"))
        .await;
}

#[tokio::test]
async fn half_sent_bodies_without_the_token_do_not_block_a_client() {
    let (http, port) = listen().await;
    is_served_beside(http.bearer_token(TOKEN), port, Client::new(port), |client| {
        client.head("POST /mcp") + "Content-Length: 1000\r\n\r\n{"
    })
    .await;
}

#[tokio::test]
async fn half_sent_bodies_do_not_block_a_client_without_tokens() {
    let (http, port) = listen().await;
    is_served_beside(http, port, Client::new(port), |client| {
        client.head("POST /mcp") + "Content-Length: 1000\r\n\r\n{"
    })
    .await;
}

#[tokio::test]
async fn half_sent_bodies_with_the_token_do_not_block_a_client() {
    let (http, port) = listen().await;
    let unauthorized = Client::new(port).with("Authorization", &format!("Bearer {TOKEN}"));
    is_served_beside(http.bearer_token(TOKEN), port, unauthorized, |client| {
        client.head("POST /mcp") + "Content-Length: 1000\r\n\r\n{"
    })
    .await;
}

#[tokio::test]
async fn refused_connections_that_stay_do_not_block_a_client() {
    let (http, port) = listen().await;
    is_served_beside(http.bearer_token(TOKEN), port, Client::new(port), |client| {
        client.head("GET /mcp") + "\r\n" + &client.head("POST /mcp")
    })
    .await;
}

#[tokio::test]
async fn of_too_many_that_wait_the_oldest_has_to_go() {
    let (http, port) = listen().await;
    served(http.max_waiting(2), async {
        let client = Client::new(port);
        let mut crowd = crowd(&client, "POST").await;
        for stream in &mut crowd[..CROWD - 2] {
            assert_eq!(stream.read(&mut [0; 1]).await.unwrap_or(0), 0, "it is closed");
        }
        client.greet().await;
    })
    .await;
}

/// Reads one answer with a chunked body, and leaves the connection open.
async fn answer(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"0\r\n\r\n") {
        let count = stream.read_buf(&mut bytes).await.unwrap();
        assert!(count > 0, "closed after {:?}", String::from_utf8_lossy(&bytes));
    }
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn a_connection_that_a_client_keeps_outlives_a_crowd_of_strangers() {
    for token in [Some(TOKEN), None] {
        let (http, port) = listen().await;
        let http = token.into_iter().fold(http, Http::bearer_token);
        served(http, async {
            let client = Client::new(port).with("Authorization", &format!("Bearer {TOKEN}"));
            let body = greeting().to_string();
            let request = format!("{}Content-Length: {}\r\n\r\n{body}", client.head("POST /mcp"), body.len());
            let mut kept = client.write(request.as_bytes()).await;
            assert!(answer(&mut kept).await.starts_with("HTTP/1.1 200"));
            let crowd = crowd(&Client::new(port), "").await;
            kept.write_all(request.as_bytes()).await.unwrap();
            assert!(answer(&mut kept).await.starts_with("HTTP/1.1 200"));
            drop(crowd);
        })
        .await;
    }
}

/// Opens an event stream. Returns the connection and the status of the answer.
async fn event_stream(client: &Client) -> (TcpStream, String) {
    let mut stream = client.write((client.head("GET /mcp") + "\r\n").as_bytes()).await;
    let mut bytes = Vec::new();
    while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0);
    }
    (stream, String::from_utf8(bytes).unwrap().to_lowercase())
}

#[tokio::test]
async fn event_streams_have_places_of_their_own() {
    let (http, port) = listen().await;
    served(http.max_streams(2).max_requests(1), async {
        let client = Client::new(port).greet().await;
        let first = event_stream(&client).await;
        let second = event_stream(&client).await;
        assert!(first.1.starts_with("http/1.1 200") && second.1.starts_with("http/1.1 200"), "{}", second.1);
        let (_, refused) = event_stream(&client).await;
        assert!(refused.starts_with("http/1.1 503") && refused.contains("retry-after: 30"), "{refused}");
        let result = client.call("validate", good()).await;
        assert_eq!(result["structuredContent"]["status"], "valid");
        drop(first);
        // The server notices it later.
        while !event_stream(&client).await.1.starts_with("http/1.1 200") {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn many_event_streams_do_not_block_a_client() {
    let (http, port) = listen().await;
    served(http, async {
        let client = Client::new(port).greet().await;
        let crowd = crowd(&client, &(client.head("GET /mcp") + "\r\n")).await;
        let result = Client::new(port).greet().await.call("validate", good()).await;
        assert_eq!(result["structuredContent"]["status"], "valid");
        drop(crowd);
    })
    .await;
}

/// Its rule never completes for 1.
#[derive(Debug, Deserialize, Extractable)]
#[extract(async_rule = is_looked_up)]
struct Slow {
    number: u8,
}

async fn is_looked_up(slow: &Slow) -> Result<(), String> {
    if slow.number == 1 {
        std::future::pending::<()>().await;
    }
    Ok(())
}

#[tokio::test]
async fn a_request_beyond_those_in_work_is_refused_until_one_of_them_is_gone() {
    let (http, port) = listen().await;
    let client = async {
        let client = Client::new(port).greet().await;
        let params = json!({"name": "submit", "arguments": {"number": 1}});
        let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).to_string();
        let head = client.head("POST /mcp");
        let working =
            client.write(format!("{head}Content-Length: {}\r\n\r\n{call}", call.len()).as_bytes()).await;
        let refused = loop {
            let answer = client.post(&greeting()).await;
            if answer.status != 200 {
                break answer;
            }
        };
        assert_eq!((refused.status, refused.header("retry-after")), (503, "1"));
        assert_eq!(refused.body, "too many requests are in work");
        drop(working);
        while Client::new(port).post(&greeting()).await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    let both = async {
        tokio::select! {
            served = extract_mcp::serve::<Slow>().http(http.max_requests(1)) => panic!("{served:?}"),
            () = client => {}
        }
    };
    tokio::time::timeout(Duration::from_secs(60), both).await.unwrap();
}
