//! Connections that serve more than one request.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use extract::agent::{Agent as _, Delta, DeltaSink};
use extract_agents::ProviderAgent;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::{
    KEY,
    formats::{EVENTS, events, stop, whole},
    request,
};

/// A server that keeps its connections open.
struct PatientServer {
    url: String,
    /// The number of the connection that each request came over.
    requests: Arc<Mutex<Vec<usize>>>,
    /// Whether it closes each connection after its answer, without saying so beforehand.
    closes: Arc<AtomicBool>,
    /// Whether it then says that it waited too long, as proxies do.
    complains: Arc<AtomicBool>,
}

impl PatientServer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (requests, closes, complains) =
            (Arc::<Mutex<Vec<usize>>>::default(), Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let server = Self {
            url,
            requests: Arc::clone(&requests),
            closes: Arc::clone(&closes),
            complains: Arc::clone(&complains),
        };
        thread::spawn(move || {
            for (connection, stream) in listener.incoming().enumerate() {
                let (requests, closes, complains) =
                    (Arc::clone(&requests), Arc::clone(&closes), Arc::clone(&complains));
                thread::spawn(move || {
                    let mut stream = stream.unwrap();
                    while let Some((path, body)) = read(&mut stream) {
                        requests.lock().unwrap().push(connection);
                        answer(&mut stream, &path, &body);
                        if complains.load(Ordering::SeqCst) {
                            let late = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n";
                            stream.write_all(late.as_bytes()).unwrap();
                        }
                        if closes.load(Ordering::SeqCst) {
                            return;
                        }
                    }
                });
            }
        });
        server
    }

    fn agent(&self) -> ProviderAgent {
        agent_at(&self.url)
    }

    fn requests(&self) -> Vec<usize> {
        self.requests.lock().unwrap().clone()
    }
}

fn agent_at(url: &str) -> ProviderAgent {
    ProviderAgent::at(url, "openai/some-model").unwrap().key(KEY).no_proxy()
}

/// Path and body of the next request; `None` at the end of the connection.
fn read(stream: &mut TcpStream) -> Option<(String, Value)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).ok()?;
    let path = head.split(' ').nth(1).unwrap().to_owned();
    Some((path, serde_json::from_slice(&body).unwrap()))
}

/// A stream has no length: its end is a chunk of its own, which may come later than the last event.
fn answer(stream: &mut TcpStream, path: &str, body: &Value) {
    let mut send = |text: String| stream.write_all(text.as_bytes()).unwrap();
    if let Some(path) = path.strip_prefix("/moved") {
        send(format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {path}\r\nContent-Length: 4\r\n\r\nover"));
    } else if body["stream"] == true {
        send(format!("HTTP/1.1 200 OK\r\nContent-Type: {EVENTS}\r\nTransfer-Encoding: chunked\r\n\r\n"));
        for event in events("openai", &["{\"legs\"", ": 8}"], stop("openai")) {
            send(format!("{:x}\r\n{}\r\n", event.len(), String::from_utf8(event).unwrap()));
            thread::sleep(Duration::from_millis(1));
        }
        send("0\r\n\r\n".to_owned());
    } else {
        let reply = whole("openai", "8", stop("openai")).to_string();
        send(format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{reply}",
            reply.len()
        ));
    }
}

async fn ask(agent: &ProviderAgent) {
    assert_eq!(agent.respond(&request()).await.unwrap().text(), "8");
}

#[tokio::test]
async fn one_connection_serves_requests_that_follow_each_other() {
    let server = PatientServer::start();
    let agent = server.agent();
    for _ in 0..3 {
        ask(&agent).await;
    }
    // Clones share it, and so do other agents for the same server.
    ask(&agent.clone()).await;
    assert_eq!(server.requests(), [0; 4]);
}

#[tokio::test]
async fn a_stream_gives_its_connection_back() {
    let server = PatientServer::start();
    let agent = server.agent();
    for _ in 0..3 {
        let mut text = String::new();
        let append = |delta: Delta<'_>| text.push_str(delta.text);
        let reply = agent.stream(&request(), DeltaSink::new(append)).await.unwrap();
        assert_eq!((reply.text(), text.as_str()), ("{\"legs\": 8}", "{\"legs\": 8}"));
    }
    assert_eq!(server.requests(), [0; 3]);
}

#[tokio::test]
async fn a_redirect_to_the_same_server_needs_no_second_connection() {
    let server = PatientServer::start();
    ask(&agent_at(&server.url.replace("/v1", "/moved/v1"))).await;
    assert_eq!(server.requests(), [0, 0]);
}

#[tokio::test]
async fn requests_at_the_same_time_have_a_connection_each() {
    let server = PatientServer::start();
    let agent = server.agent();
    tokio::join!(ask(&agent), ask(&agent), ask(&agent));
    tokio::join!(ask(&agent), ask(&agent));
    let requests = server.requests();
    assert_eq!((requests.len(), requests.iter().max()), (5, Some(&2)), "{requests:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn tasks_on_several_threads_share_connections() {
    let server = PatientServer::start();
    let agent = server.agent();
    let tasks: Vec<_> = (0..32)
        .map(|_| {
            let agent = agent.clone();
            tokio::spawn(async move {
                for _ in 0..5 {
                    ask(&agent).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 160);
    assert!(requests.iter().all(|connection| *connection < 32), "{requests:?}");
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_replaced() {
    for complains in [false, true] {
        let server = PatientServer::start();
        let agent = server.agent();
        server.closes.store(true, Ordering::SeqCst);
        server.complains.store(complains, Ordering::SeqCst);
        for _ in 0..3 {
            ask(&agent).await;
            // Until the end of the connection has arrived.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(server.requests(), [0, 1, 2]);
    }
}

/// Otherwise the system keeps the socket until the next request, which may never come.
#[tokio::test]
async fn a_connection_that_the_server_closes_is_closed_soon() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let agent = agent_at(&format!("http://{}/v1", listener.local_addr().unwrap()));
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (path, body) = read(&mut stream).unwrap();
        answer(&mut stream, &path, &body);
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(8))).unwrap();
        stream.read(&mut [0; 1])
    });
    agent.respond(&request()).await.unwrap();
    let closed = tokio::task::spawn_blocking(|| server.join().unwrap()).await.unwrap();
    assert_eq!(closed.unwrap(), 0);
}

#[tokio::test]
async fn a_request_that_is_given_up_gives_no_connection_back() {
    let server = PatientServer::start();
    let agent = server.agent();
    ask(&agent).await;
    // The request is sent by the first look at the future, and answered when nobody looks.
    let mut asking = Box::pin(ask(&agent));
    let first = std::future::poll_fn(|context| std::task::Poll::Ready(asking.as_mut().poll(context))).await;
    assert!(first.is_pending());
    drop(asking);
    ask(&agent).await;
    let requests = server.requests();
    assert_eq!(requests.iter().filter(|connection| **connection == 1).count(), 1, "{requests:?}");
}

#[test]
fn a_connection_is_not_used_by_another_runtime() {
    let server = PatientServer::start();
    let agent = server.agent();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ask_in = |runtime: &Runtime| runtime.block_on(ask(&agent));
    // Nobody runs the first one while the second asks.
    let (first, second) = (runtime(), runtime());
    ask_in(&first);
    ask_in(&second);
    ask_in(&first);
    drop(first);
    let third = runtime();
    ask_in(&third);
    ask_in(&second);
    assert_eq!(server.requests(), [0, 1, 0, 2, 1]);
}
