//! Streamable HTTP at the level of requests.

use std::time::Duration;

use extract_mcp::Http;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};

use super::client::{Client, greeting, listen, served};
use crate::domain::{Invoice, good};

#[tokio::test]
async fn a_value_is_accepted_and_the_client_hears_of_it() {
    let (http, port) = listen().await;
    let client = async {
        let client = Client::new(port).greet().await;
        let result = client.call("submit", json!({"number": "INV-0007"})).await;
        assert_eq!(result["isError"], true);
        assert_eq!(result["structuredContent"]["violations"][0]["code"], "MISSING_FIELD");
        let result = client.call("submit", good()).await;
        assert_eq!(result["structuredContent"]["value"], good());
        assert_eq!(client.send("DELETE /mcp", "").await.status, 204);
    };
    let both = async { tokio::join!(extract_mcp::serve::<Invoice>().http(http), client) };
    let (served, ()) = tokio::time::timeout(Duration::from_secs(60), both).await.unwrap();
    let (invoice, metrics) = served.unwrap();
    assert_eq!((invoice.number.as_str(), metrics.attempts), ("INV-0007", 2));
    assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn sessions_share_the_budget_and_end_when_they_are_deleted() {
    let (http, port) = listen().await;
    served(http, async {
        let first = Client::new(port).greet().await;
        let second = Client::new(port).greet().await;
        first.call("submit", json!({})).await;
        let report = second.call("submit", json!({})).await;
        assert_eq!(report["structuredContent"]["attempts_left"], 1);
        first.send("DELETE /mcp", "").await;
        assert_eq!(first.post(&greeting()).await.status, 404);
        assert_eq!(second.call("validate", good()).await["structuredContent"]["status"], "valid");
    })
    .await;
}

#[tokio::test]
async fn without_the_token_nothing_passes() {
    let (http, port) = listen().await;
    served(http.bearer_token("correct horse"), async {
        let client = Client::new(port);
        for (name, value) in [
            ("X-Nothing", ""),
            ("Authorization", "Bearer correct hors"),
            ("Authorization", "Bearer correct horse!"),
            ("Authorization", "Bearer "),
            ("Authorization", "Basic correct horse"),
            ("Authorization", "correct horse"),
        ] {
            let answer = client.with(name, value).post(&greeting()).await;
            assert_eq!((answer.status, answer.header("www-authenticate")), (401, "bearer"), "{value}");
        }
        client.with("Authorization", "bearer correct horse").greet().await;
    })
    .await;
}

#[tokio::test]
async fn web_pages_cannot_reach_it() {
    let (http, port) = listen().await;
    served(http, async {
        let client = Client::new(port);
        for (name, value) in [
            ("Host", "attacker.example"),
            ("Host", "127.0.0.1.attacker.example"),
            ("Host", "192.168.0.1"),
            ("Origin", "http://attacker.example"),
            ("Origin", "http://localhost.attacker.example"),
            ("Origin", "https://127.0.0.1"),
            ("Origin", "null"),
        ] {
            let answer = client.with(name, value).post(&greeting()).await;
            assert_eq!(answer.status, 403, "{name}: {value}");
            assert!(!answer.head.contains("access-control-allow-origin"), "{}", answer.head);
        }
        for (name, value) in [("Host", "localhost"), ("Host", "[::1]:1"), ("Origin", "http://localhost:6274")]
        {
            client.with(name, value).greet().await;
        }
    })
    .await;
}

#[tokio::test]
async fn hosts_and_origins_can_be_allowed() {
    let (http, port) = listen().await;
    served(http.allow_host("extract.example").allow_origin("https://app.example:443"), async {
        let client = Client::new(port).with("Host", "extract.example").with("Origin", "https://app.example");
        client.greet().await;
        assert_eq!(
            Client::new(port).with("Origin", "https://other.example").post(&greeting()).await.status,
            403
        );
    })
    .await;
}

#[tokio::test]
async fn a_request_that_is_too_large_is_refused_and_the_next_is_served() {
    let (http, port) = listen().await;
    served(http.max_body_bytes(2_000), async {
        let client = Client::new(port);
        assert_eq!(client.send("POST /mcp", &" ".repeat(2_001)).await.status, 413);
        client.greet().await;
    })
    .await;
}

#[tokio::test]
async fn sessions_are_limited() {
    let (http, port) = listen().await;
    served(http, async {
        let client = Client::new(port);
        let mut statuses = Vec::new();
        for _ in 0..257 {
            statuses.push(client.post(&greeting()).await.status);
        }
        assert_eq!((statuses[255], statuses[256]), (200, 503));
    })
    .await;
}

#[tokio::test]
async fn there_is_nothing_beside_the_path() {
    let (http, port) = listen().await;
    served(http, async {
        let client = Client::new(port);
        assert_eq!(client.send("POST /", &greeting().to_string()).await.status, 404);
        assert_eq!(client.send("PUT /mcp", "").await.status, 405);
        let garbage = client.send("POST /mcp", "{").await.status;
        assert!((400..500).contains(&garbage), "{garbage}");
    })
    .await;
}

#[tokio::test]
async fn an_empty_token_is_an_error_and_not_an_open_door() {
    let error = extract_mcp::serve::<Invoice>().http(Http::port(0).bearer_token("")).await.unwrap_err();
    assert!(error.to_string().contains("the bearer token is empty"), "{error}");
}

#[tokio::test]
async fn a_port_that_is_taken_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let error = extract_mcp::serve::<Invoice>().http(port).await.unwrap_err();
    assert!(error.to_string().contains(&format!("127.0.0.1:{port} cannot be listened on")), "{error}");
}

#[tokio::test]
async fn a_port_alone_is_one_of_this_machine() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let serving = tokio::time::timeout(Duration::from_secs(60), extract_mcp::serve::<Invoice>().http(free));
    let client = async {
        while TcpStream::connect(("127.0.0.1", free)).await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        // Every address of 127.0.0.0/8 is this machine; a socket on all addresses would answer
        // here.
        assert!(TcpStream::connect(("127.0.0.2", free)).await.is_err());
        Client::new(free).greet().await.call("submit", good()).await
    };
    let (served, _) = tokio::join!(serving, client);
    served.unwrap().unwrap();
}
