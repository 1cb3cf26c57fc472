//! The interface for batches of `OpenAI`, which Groq has too.

use std::fmt::Write as _;

use bytes::Bytes;
use extract::agent::{
    AgentError, BatchAgent, BatchFuture, BatchLimits, BatchSink, BatchStatus, Reply, Request,
    provider::ProviderFailure,
};
use hyper::{Method, header::HeaderValue};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::line;
use crate::{agent::ProviderAgent, events::Lines, http::Response};

/// The profiles whose servers have the interface of `OpenAI`: `POST /files`, then `POST /batches`.
///
/// Sources: <https://platform.openai.com/docs/guides/batch>, <https://console.groq.com/docs/batch>,
/// November 2026.
const PROFILES: [&str; 3] = ["openai", "openai-responses", "groq"];

/// Bytes of a file of results that are read.
const LARGEST_RESULTS: usize = 2 << 30;

/// Pages of the list of batches in which one is looked for, with 100 batches each.
const MOST_PAGES: usize = 50;

/// The key of the mark in the metadata of a batch.
const MARK: &str = "extract_mark";

/// Batches of a provider: `OpenAI` and Groq answer files of requests within 24 hours for half the price.
///
/// The agent says how requests are written and answers are read, and has the key, which is in no
/// file. Give the same agent to the job, which takes name and capabilities from it.
///
/// ```
/// use extract_agents::{ProviderAgent, ProviderBatches};
///
/// let agent = ProviderAgent::new("openai/gpt-4o-mini")?.key("sk-…");
/// let batches = ProviderBatches::new(agent)?;
/// # let _ = batches;
/// # Ok::<(), extract::agent::AgentError>(())
/// ```
///
/// Files and batches stay at the provider, who deletes them by its own rules.
#[derive(Debug, Clone)]
pub struct ProviderBatches {
    agent: ProviderAgent,
    endpoint: &'static str,
}

/// A batch, in the words of the server.
#[derive(Deserialize)]
struct Batch {
    id: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    output_file_id: Option<String>,
    #[serde(default)]
    error_file_id: Option<String>,
    #[serde(default)]
    errors: Option<Value>,
    #[serde(default)]
    metadata: Option<Value>,
}

#[derive(Deserialize)]
struct BatchPage {
    data: Vec<Batch>,
    #[serde(default)]
    has_more: bool,
}

#[derive(Deserialize)]
struct UploadedFile {
    id: String,
}

impl ProviderBatches {
    /// Sends batches to the server of `agent`.
    ///
    /// # Errors
    ///
    /// If the server's interface for batches is not one that this library speaks.
    pub fn new(agent: ProviderAgent) -> Result<Self, AgentError> {
        let endpoint = line::endpoint(agent.profile.wire);
        match endpoint.filter(|_| PROFILES.contains(&agent.profile.name)) {
            Some(endpoint) => Ok(Self { agent, endpoint }),
            None => Err(AgentError::unavailable(format!(
                "batches of `{}` are not supported; they are for `{}`",
                agent.profile.name,
                PROFILES.join("`, `")
            ))),
        }
    }

    /// Asks for what is at `path` below the server's address.
    async fn get(&self, path: &str) -> Result<Response, ProviderFailure> {
        let target = self.agent.target_at(|address| joined(address, path))?;
        succeeded(self.agent.http.get(&target).await?).await
    }

    async fn get_json<T: DeserializeOwned>(&self, path: &str) -> Result<T, ProviderFailure> {
        parsed(&self.get(path).await?.whole().await?)
    }

    async fn batch(&self, id: &str) -> Result<Batch, ProviderFailure> {
        self.get_json(&format!("/batches/{}", escaped(id))).await
    }

    async fn send(&self, file: &[u8], mark: &str) -> Result<String, ProviderFailure> {
        let target = self.agent.target_at(|address| joined(address, "/files"))?;
        let kind = HeaderValue::from_str(&format!("multipart/form-data; boundary={mark}"))
            .map_err(|_| ProviderFailure::refused("the mark of the batch is not a boundary"))?;
        let body = Bytes::from(multipart(file, mark));
        let response = self.agent.http.send(Method::POST, &target, kind, body).await?;
        let file: UploadedFile = parsed(&succeeded(response).await?.whole().await?)?;
        let target = self.agent.target_at(|address| joined(address, "/batches"))?;
        let body = json!({
            "input_file_id": file.id,
            "endpoint": self.endpoint,
            "completion_window": "24h",
            "metadata": {MARK: mark},
        });
        let response = self.agent.http.post(&target, Bytes::from(body.to_string())).await?;
        let batch: Batch = parsed(&succeeded(response).await?.whole().await?)?;
        Ok(batch.id)
    }

    async fn find_mark(&self, mark: &str) -> Result<Option<String>, ProviderFailure> {
        let mut after = String::new();
        for _ in 0..MOST_PAGES {
            let page: BatchPage = self.get_json(&format!("/batches?limit=100{after}")).await?;
            let has_mark =
                |batch: &&Batch| batch.metadata.as_ref().is_some_and(|metadata| metadata[MARK] == mark);
            if let Some(batch) = page.data.iter().find(has_mark) {
                return Ok(Some(batch.id.clone()));
            }
            match page.data.last().filter(|_| page.has_more) {
                Some(last) => after = format!("&after={}", escaped(&last.id)),
                None => return Ok(None),
            }
        }
        // Whoever says that there is none lets the requests be paid for again.
        Err(ProviderFailure::refused(format!(
            "the batch with the mark {mark} is not among the latest {} of the account",
            100 * MOST_PAGES
        )))
    }

    async fn pass_results(&self, id: &str, sink: &mut BatchSink<'_>) -> Result<(), ProviderFailure> {
        let batch = self.batch(id).await?;
        for file in [batch.output_file_id, batch.error_file_id].into_iter().flatten() {
            let mut response = self.get(&format!("/files/{}/content", escaped(&file))).await?;
            response.allow(LARGEST_RESULTS);
            let mut lines = Lines::default();
            let mut pass = |line: &[u8]| {
                if let Some(id) = line::id(line) {
                    sink(&id, line);
                }
                Ok(())
            };
            while let Some(bytes) = response.chunk().await? {
                lines.push(&bytes, &mut pass)?;
            }
            pass(&lines.rest())?;
        }
        Ok(())
    }
}

/// Returns the state of a batch; a failure if it was refused as a whole, or the state is not known.
fn status_of(batch: &Batch) -> Result<BatchStatus, ProviderFailure> {
    match batch.status.as_str() {
        "validating" | "in_progress" | "finalizing" | "cancelling" => Ok(BatchStatus::Open),
        "completed" | "expired" | "cancelled" => Ok(BatchStatus::Ended),
        "failed" => {
            let errors = batch.errors.as_ref().map(ToString::to_string).unwrap_or_default();
            Err(ProviderFailure::refused(format!("the batch was refused: {errors}")))
        }
        other => Err(ProviderFailure::garbled(format!("`{other}` is not a known state of a batch"))),
    }
}

/// Returns the body of an upload. The mark is a boundary that no file has: it is random, and each line
/// of the file is JSON.
fn multipart(file: &[u8], mark: &str) -> Vec<u8> {
    let mut head = String::new();
    let _ = write!(
        head,
        "--{mark}\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n--{mark}\r\n\
         Content-Disposition: form-data; name=\"file\"; filename=\"{mark}.jsonl\"\r\n\
         Content-Type: application/jsonl\r\n\r\n"
    );
    [head.as_bytes(), file, format!("\r\n--{mark}--\r\n").as_bytes()].concat()
}

/// Puts `path` between the path and the query of an address.
fn joined(address: &str, path: &str) -> String {
    let (address, query) = address.split_once('?').map_or((address, ""), |(address, query)| (address, query));
    let mut url = format!("{}{path}", address.trim_end_matches('/'));
    if !query.is_empty() {
        url.push(if path.contains('?') { '&' } else { '?' });
        url.push_str(query);
    }
    url
}

/// An id as a part of a URL, which must not end it.
fn escaped(id: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    id.bytes().fold(String::new(), |mut path, byte| {
        if is_plain(byte) {
            path.push(char::from(byte));
        } else {
            let _ = write!(path, "%{byte:02X}");
        }
        path
    })
}

async fn succeeded(response: Response) -> Result<Response, ProviderFailure> {
    if (200..300).contains(&response.status()) { Ok(response) } else { Err(response.failure().await) }
}

fn parsed<T: DeserializeOwned>(body: &[u8]) -> Result<T, ProviderFailure> {
    serde_json::from_slice(body)
        .map_err(|error| ProviderFailure::garbled(format!("not an answer about batches: {error}")))
}

impl BatchAgent for ProviderBatches {
    fn write(&self, id: &str, request: &Request) -> Result<Vec<u8>, AgentError> {
        line::write(&self.agent, self.endpoint, id, request)
    }

    fn read(&self, request: &Request, answer: &[u8]) -> Result<Reply, AgentError> {
        line::read(&self.agent, request, answer)
    }

    fn submit<'a>(&'a self, file: &'a [u8], mark: &'a str) -> BatchFuture<'a, String> {
        Box::pin(async move {
            self.send(file, mark).await.map_err(|failure| line::to_error(&self.agent, failure))
        })
    }

    fn find<'a>(&'a self, mark: &'a str) -> BatchFuture<'a, Option<String>> {
        Box::pin(
            async move { self.find_mark(mark).await.map_err(|failure| line::to_error(&self.agent, failure)) },
        )
    }

    fn status<'a>(&'a self, id: &'a str) -> BatchFuture<'a, BatchStatus> {
        Box::pin(async move {
            let status = self.batch(id).await.and_then(|batch| status_of(&batch));
            status.map_err(|failure| line::to_error(&self.agent, failure))
        })
    }

    fn results<'a>(&'a self, id: &'a str, mut sink: BatchSink<'a>) -> BatchFuture<'a, ()> {
        Box::pin(async move {
            let passed = self.pass_results(id, &mut sink).await;
            passed.map_err(|failure| line::to_error(&self.agent, failure))
        })
    }

    fn limits(&self) -> BatchLimits {
        // Both take 50,000 lines and 200 MB.
        BatchLimits::default()
    }
}
