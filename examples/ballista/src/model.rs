//! A server that stands for a model: it reads the invoice in a prompt, and counts its calls.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use extract::agent::Agent;
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    time::sleep,
};

/// The duration of an answer.
const LATENCY: Duration = Duration::from_millis(100);

/// The server. It takes a prompt as a JSON string on one line, and returns the reply as a line.
pub struct Model {
    pub address: SocketAddr,
    calls: Arc<AtomicUsize>,
}

impl Model {
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, calls) = (listener.local_addr()?, Arc::<AtomicUsize>::default());
        let counter = Arc::clone(&calls);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(answer(client, Arc::clone(&counter)));
            }
        });
        Ok(Self { address, calls })
    }

    /// How often it was asked.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

async fn answer(client: TcpStream, calls: Arc<AtomicUsize>) -> io::Result<()> {
    let mut client = BufReader::new(client);
    let mut prompt = String::new();
    client.read_line(&mut prompt).await?;
    calls.fetch_add(1, Ordering::Relaxed);
    sleep(LATENCY).await;
    client.write_all(format!("{}\n", reply(&prompt)).as_bytes()).await
}

/// The value in a text such as `Invoice INV-7, 12 euros`.
fn reply(prompt: &str) -> String {
    let invoice = prompt.rsplit_once("Invoice ").and_then(|(_, text)| {
        let (number, rest) = text.split_once(", ")?;
        let (total, _) = rest.split_once(" euros")?;
        Some(json!({"number": number, "total": total.parse::<u32>().ok()?}))
    });
    invoice.map_or_else(|| "I cannot read it.".to_owned(), |invoice| invoice.to_string())
}

/// An agent that asks the server at `address`.
pub fn agent(address: SocketAddr) -> impl Agent + 'static {
    move |prompt: String| async move {
        let mut server = BufReader::new(TcpStream::connect(address).await?);
        server.write_all(format!("{}\n", json!(prompt)).as_bytes()).await?;
        let mut reply = String::new();
        server.read_line(&mut reply).await?;
        Ok::<_, io::Error>(reply)
    }
}
