//! Malformed or oversized requests and messages: each is rejected or dropped, costs a bounded
//! amount of memory, and over HTTP the next client is served.

use std::fmt::Write as _;

use extract::ExtractionError;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::client::{Client, greeting, listen, served};
use crate::cost::{measured, mib};
use crate::domain::{Invoice, good};

/// The server's answer to this, `None` if there is none; afterwards it serves as usual. The server
/// and the client together may allocate `most` bytes at a time.
fn answered(most: u64, request: impl FnOnce(&Client) -> Vec<u8>) -> Option<u16> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut status = None;
    let ((), cost) = measured(|| {
        runtime.block_on(async {
            let (http, port) = listen().await;
            served(http, async {
                let client = Client::new(port);
                status = client.raw(&request(&client)).await.map(|answer| answer.status);
                let result = client.greet().await.call("validate", good()).await;
                assert_eq!(result["structuredContent"]["status"], "valid");
            })
            .await;
        });
    });
    assert!(cost.peak < most, "{cost:?}");
    status
}

/// A POST with these headers besides the usual ones, and this body.
fn post(client: &Client, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = client.head("POST /mcp");
    let mut request =
        format!("{head}{headers}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len()).into_bytes();
    request.extend_from_slice(body);
    request
}

#[test]
fn a_body_of_the_largest_size_costs_a_few_times_its_size() {
    let size = 8 << 20;
    for filling in ["[", " ", "{\"a\":", "\"", "0", "[0,", "[{}],", "\u{1F600}"] {
        let body = filling.repeat(size / filling.len());
        let status = answered(mib(8 * 32), |client| post(client, "", &body));
        assert!(matches!(status, Some(400..=422)), "{filling}: {status:?}");
    }
}

#[test]
fn a_body_beyond_the_largest_size_is_refused() {
    assert_eq!(answered(mib(32), |client| post(client, "", " ".repeat((8 << 20) + 1))), Some(413));
    let promised = |client: &Client| {
        format!("{}Content-Length: {}\r\nConnection: close\r\n\r\n", client.head("POST /mcp"), u64::MAX - 1)
            .into_bytes()
    };
    assert!(matches!(answered(mib(4), promised), Some(400..=431)));
}

#[test]
fn deep_nesting_overflows_no_stack() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for depth in [100, 1_000, 100_000] {
            let value = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let whole = answered(mib(64), |client| post(client, "", &value));
            assert!(matches!(whole, Some(400..=422)), "{depth}: {whole:?}");
            let inside = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"submit","arguments":{{"a":{value}}}}}}}"#
            );
            let status = answered(mib(64), |client| post(client, "", &inside));
            assert!(matches!(status, Some(400..=422)), "{depth}: {status:?}");
        }
    }
}

#[test]
fn a_batch_of_thousands_is_refused() {
    for size in [0, 1, 1_000, 50_000] {
        let batch = Value::Array(vec![greeting(); size]).to_string();
        let status = answered(mib(8 * 32), |client| post(client, "", &batch));
        assert!(matches!(status, Some(400..=422)), "{size}: {status:?}");
    }
}

#[test]
fn other_types_of_content_are_refused() {
    for (name, value) in [
        ("Content-Type", "text/plain"),
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Content-Type", "multipart/form-data; boundary=x"),
        ("Content-Type", "application/jsonx"),
        ("Content-Type", ""),
        ("Accept", "text/html"),
        ("Accept", "application/json"),
        ("Accept", ""),
    ] {
        let status = answered(mib(4), |client| post(&client.with(name, value), "", greeting().to_string()));
        assert!(matches!(status, Some(406 | 415)), "{name}: {value}: {status:?}");
    }
}

#[test]
fn too_many_or_too_long_headers_are_refused() {
    let many = (0..5_000).fold(String::new(), |mut many, number| {
        let _ = write!(many, "X-{number}: x\r\n");
        many
    });
    let long = format!("X-Long: {}\r\n", "x".repeat(1 << 20));
    let name = format!("{}: x\r\n", "x".repeat(1 << 20));
    for headers in [many, long, name] {
        let status = answered(mib(8), |client| post(client, &headers, greeting().to_string()));
        assert!(matches!(status, None | Some(431)), "{status:?}");
    }
    let line = |client: &Client| client.head(&format!("POST /{}", "x".repeat(1 << 20))).into_bytes();
    assert!(matches!(answered(mib(8), line), None | Some(414 | 431)));
}

#[test]
fn bodies_with_two_lengths_are_not_passed_on() {
    let smuggled = |headers: &'static str| {
        move |client: &Client| {
            let rest = "0\r\n\r\nGET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n";
            format!("{}{headers}Connection: close\r\n\r\n{rest}", client.head("POST /mcp")).into_bytes()
        }
    };
    for headers in [
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5, 6\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 99999999999999999999999\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: identity\r\nContent-Length: 5\r\n",
        "Transfer-Encoding: chunked, gzip\r\n",
    ] {
        let status = answered(mib(4), smuggled(headers));
        assert!(matches!(status, None | Some(400..=499)), "{headers}: {status:?}");
    }
}

#[test]
fn chunks_that_are_none_are_refused() {
    for body in
        ["x", "fffffffffffffffff\r\nx", "-1\r\nx", "5\r\nhello6\r\n", "1;\0\r\nx\r\n", "1\r\nxx\r\n0\r\n\r\n"]
    {
        let status = answered(mib(4), |client| {
            let head = client.head("POST /mcp");
            format!("{head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n{body}\r\n\r\n")
                .into_bytes()
        });
        assert!(matches!(status, None | Some(400..=499)), "{body}: {status:?}");
    }
}

#[test]
fn a_request_that_is_not_http_gets_no_answer_or_a_refusal() {
    for request in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST /mcp HTTP/9.9\r\n\r\n",
        b"POST /mcp\r\n\r\n",
        b"POST \xff\xfe HTTP/1.1\r\n\r\n",
        b"GET http://attacker.example/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
        b"{\"jsonrpc\":\"2.0\"}\r\n\r\n",
    ] {
        let status = answered(mib(4), |_| request.to_vec());
        let shown = String::from_utf8_lossy(request);
        assert!(matches!(status, None | Some(400..=499 | 505)), "{shown}: {status:?}");
    }
}

#[test]
fn a_host_that_can_be_read_in_two_ways_is_refused() {
    // Each would be a good greeting with one host.
    for (target, headers) in [
        ("/mcp", "Host: localhost\r\nHost: localhost\r\n"),
        ("/mcp", "Host: localhost\r\nHost: attacker.example\r\n"),
        ("/mcp", "Host: attacker.example\r\nHost: localhost\r\n"),
        ("/mcp", "Host: user@localhost\r\n"),
        ("/mcp", "Host: user:password@localhost\r\n"),
        ("http://localhost/mcp", "Host: localhost\r\n"),
        ("http://attacker.example/mcp", "Host: localhost\r\n"),
        ("http://user@localhost/mcp", "Host: localhost\r\n"),
    ] {
        let body = greeting().to_string();
        let status = answered(mib(4), |_| {
            format!(
                "POST {target} HTTP/1.1\r\n{headers}Content-Type: application/json\r\nAccept: application/json, \
                 text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            )
            .into_bytes()
        });
        assert_eq!(status, Some(400), "{target} {headers}");
    }
}

#[test]
fn messages_that_are_not_calls_are_rejected() {
    for message in [
        json!(null),
        json!(1),
        json!({}),
        json!({"jsonrpc": "1.0", "id": 1, "method": "initialize"}),
        json!({"jsonrpc": "2.0", "id": {"a": 1}, "method": "initialize"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": 1}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": [1]}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
    ] {
        let status = answered(mib(4), |client| post(client, "", message.to_string()));
        assert!(matches!(status, Some(400..=422)), "{message}: {status:?}");
    }
    for body in [
        &b"\xff\xfe"[..],
        b"",
        b"\xef\xbb\xbf{}",
        b"{\"jsonrpc\":\"2.0\",\"jsonrpc\":\"2.0\"}",
        b"\"\xed\xa0\x80\"",
    ] {
        assert!(matches!(answered(mib(4), |client| post(client, "", body)), Some(400..=422)), "{body:?}");
    }
}

/// The outcome for a client that writes this repeatedly on a stream, after a handshake or without
/// one.
fn over_a_stream(greets: bool, again: &[u8], most: u64) -> ExtractionError {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (error, cost) = measured(|| {
        runtime.block_on(async {
            let (ours, theirs) = tokio::io::duplex(1 << 16);
            let (mut reader, mut writer) = tokio::io::split(theirs);
            let client = async {
                if greets {
                    for message in
                        [greeting(), json!({"jsonrpc": "2.0", "method": "notifications/initialized"})]
                    {
                        writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
                    }
                }
                while writer.write_all(again).await.is_ok() {}
                // The server may still report why it stopped reading.
                std::future::pending::<()>().await;
            };
            let answers = async { while reader.read(&mut [0; 1024]).await.is_ok_and(|count| count > 0) {} };
            let both = async { tokio::join!(client, answers) };
            tokio::select! {
                served = extract_mcp::serve::<Invoice>().over(ours) => served.unwrap_err(),
                _ = both => unreachable!("the client stays"),
            }
        })
    });
    assert!(cost.peak < most, "{cost:?}");
    error
}

#[test]
fn a_line_without_an_end_ends_the_connection() {
    for greets in [true, false] {
        for again in ["x", "[", " ", "{\"jsonrpc\":", "\\"] {
            let error = over_a_stream(greets, again.repeat(1 << 14).as_bytes(), mib(8 * 8));
            assert!(error.to_string().contains("a message of more than 8 MiB"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_message_of_several_megabytes_is_taken() {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let client = async {
        let mut value = good();
        value["remarks"] = Value::from("x".repeat(6 << 20));
        let params = json!({"name": "submit", "arguments": value});
        let (mut reader, mut writer) = tokio::io::split(theirs);
        let send = async {
            for message in [
                greeting(),
                json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
                json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}),
            ] {
                writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
            }
        };
        let answers = async { while reader.read(&mut [0; 1024]).await.is_ok_and(|count| count > 0) {} };
        tokio::join!(send, answers)
    };
    let (served, _) = tokio::join!(extract_mcp::serve::<Invoice>().over(ours), client);
    assert_eq!(served.unwrap().1.attempts, 1);
}
