//! The interfaces for batches of providers.

use std::fmt::Write as _;

use bytes::Bytes;
use extract::agent::{
    AgentError, BatchAgent, BatchFuture, BatchLimits, BatchSearch, BatchSink, BatchStatus, LostBatch, Reply,
    Request, WrittenRequest, provider::ProviderFailure,
};
use hyper::{Method, header::HeaderValue};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};

use super::{
    line,
    remote::{self, MARK, RemoteBatch},
};
use crate::{
    agent::ProviderAgent,
    events::Lines,
    format::WireFormat,
    http::{Response, joined},
    profile::{BatchEndpoint, BatchForm, BatchInterface, BatchMark, Profile},
};

/// Bytes of a file of answers that are read.
const LARGEST_RESULTS: usize = 2 << 30;

/// Bytes of answers that are read where they come in one body.
const LARGEST_BODY: usize = 256 << 20;

/// Pages of the list of batches in which one is looked for.
const MOST_PAGES: usize = 50;

/// Batches of a provider, which answers files of requests within 24 hours for half the price.
///
/// The agent says how requests are written and answers are read, and has the key, which is in no
/// file. Give the same agent to the job, which takes name and capabilities from it.
/// [`Profile::batch`] says what each provider has.
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
    interface: BatchInterface,
}

#[derive(Deserialize)]
struct UploadedFile {
    id: String,
    #[serde(default)]
    filename: String,
}

#[derive(Deserialize)]
struct FilePage {
    data: Vec<UploadedFile>,
}

/// The answers of Gemini, in the batch itself.
#[derive(Deserialize)]
struct WithAnswers<'a> {
    #[serde(borrow, default)]
    response: Option<Answers<'a>>,
}

#[derive(Deserialize)]
struct Answers<'a> {
    #[serde(rename = "inlinedResponses", borrow, default)]
    list: Option<&'a RawValue>,
}

impl<'a> Answers<'a> {
    /// The answers, which some servers put into another object.
    fn all(&self) -> Result<Vec<&'a RawValue>, ProviderFailure> {
        #[derive(Deserialize)]
        struct Nested<'a> {
            #[serde(rename = "inlinedResponses", borrow)]
            list: Vec<&'a RawValue>,
        }
        let Some(text) = self.list.map(RawValue::get) else { return Ok(Vec::new()) };
        let nested = serde_json::from_str::<Nested<'a>>(text).map(|nested| nested.list);
        nested.or_else(|_| serde_json::from_str(text)).map_err(|error| not_of_batches(&error))
    }
}

impl ProviderBatches {
    /// Sends batches to the server of `agent`.
    ///
    /// # Errors
    ///
    /// If the server's interface for batches is not one that this library speaks.
    pub fn new(agent: ProviderAgent) -> Result<Self, AgentError> {
        if let Some(interface) = agent.profile.batch {
            return Ok(Self { agent, interface });
        }
        let spoken = Profile::ALL.iter().filter(|profile| profile.batch.is_some());
        let names: Vec<_> = spoken.map(|profile| profile.name).collect();
        Err(AgentError::unavailable(format!(
            "batches of `{}` are not supported; they are for `{}`",
            agent.profile.name,
            names.join("`, `")
        )))
    }

    fn form(&self) -> BatchForm {
        self.interface.form
    }

    /// Asks for what is at `path` below the server's address.
    async fn get(&self, path: &str) -> Result<Response, ProviderFailure> {
        let target = self.agent.target_at(|address| joined(address, path))?;
        succeeded(self.agent.http.get(&target).await?).await
    }

    async fn get_json<T: DeserializeOwned>(&self, path: &str) -> Result<T, ProviderFailure> {
        parsed(&self.get(path).await?.whole().await?)
    }

    async fn post_json(&self, path: &str, body: Vec<u8>) -> Result<Value, ProviderFailure> {
        let target = self.agent.target_at(|address| joined(address, path))?;
        let response = self.agent.http.post(&target, Bytes::from(body)).await?;
        parsed(&succeeded(response).await?.whole().await?)
    }

    async fn batch(&self, id: &str) -> Result<RemoteBatch, ProviderFailure> {
        let mut response = self.get(&remote::path(self.form(), id)).await?;
        response.allow(LARGEST_BODY);
        RemoteBatch::of(self.form(), &parsed(&response.whole().await?)?)
    }

    async fn send(&self, file: &[u8], mark: &str) -> Result<String, ProviderFailure> {
        let (path, body) = match self.form() {
            BatchForm::Files { endpoint } => {
                let full = line::endpoint(self.agent.profile.wire).unwrap_or_default();
                let endpoint = match endpoint {
                    BatchEndpoint::Versioned => full,
                    BatchEndpoint::Plain => full.trim_start_matches("/v1"),
                };
                let id = self.upload(file, mark).await?;
                let body = json!({"input_file_id": id, "endpoint": endpoint, "completion_window": "24h",
                    "metadata": {MARK: mark}});
                (remote::list(self.form()).to_owned(), body.to_string().into_bytes())
            }
            BatchForm::TogetherFiles => {
                let id = self.upload(file, mark).await?;
                let body = json!({"input_file_id": id, "endpoint": "/v1/chat/completions",
                    "completion_window": "24h"});
                (remote::list(self.form()).to_owned(), body.to_string().into_bytes())
            }
            BatchForm::Jobs => {
                let id = self.upload(file, mark).await?;
                let body = json!({"input_files": [id], "endpoint": "/v1/chat/completions",
                    "model": self.agent.model(), "timeout_hours": 24, "metadata": {MARK: mark}});
                (remote::list(self.form()).to_owned(), body.to_string().into_bytes())
            }
            BatchForm::Messages => {
                let write = |out: &mut Vec<u8>, line: &[u8]| line::push_marked(out, line, mark);
                (remote::list(self.form()).to_owned(), listed("{\"requests\":[", file, "]}", write))
            }
            BatchForm::Generate => {
                let start = format!(
                    "{{\"batch\":{{\"display_name\":\"{mark}\",\"input_config\":{{\"requests\":{{\"requests\":["
                );
                let write = |out: &mut Vec<u8>, line: &[u8]| out.extend_from_slice(line);
                let path = WireFormat::of_model(self.agent.model(), "batchGenerateContent");
                (path, listed(&start, file, "]}}}}", write))
            }
        };
        Ok(RemoteBatch::of(self.form(), &self.post_json(&path, body).await?)?.id)
    }

    /// Uploads a file, and returns its id.
    async fn upload(&self, file: &[u8], mark: &str) -> Result<String, ProviderFailure> {
        // Together wants the name once more. Its SDK uploads to a store; its reference does this.
        let name = format!("{mark}.jsonl");
        let (path, fields): (_, &[(&str, &str)]) = match self.form() {
            BatchForm::TogetherFiles => {
                ("/files/upload", &[("purpose", "batch-api"), ("file_name", &name), ("file_type", "jsonl")])
            }
            _ => ("/files", &[("purpose", "batch")]),
        };
        let target = self.agent.target_at(|address| joined(address, path))?;
        let kind = HeaderValue::from_str(&format!("multipart/form-data; boundary={mark}"))
            .map_err(|_| ProviderFailure::refused("the mark of the batch is not a boundary"))?;
        let body = Bytes::from(multipart(fields, file, mark));
        let response = self.agent.http.send(Method::POST, &target, kind, body).await?;
        let file: UploadedFile = parsed(&succeeded(response).await?.whole().await?)?;
        Ok(file.id)
    }

    async fn find_lost(&self, lost: LostBatch<'_>) -> Result<BatchSearch, ProviderFailure> {
        let files = match self.interface.mark {
            BatchMark::FileName => self.files_of(lost.mark).await?,
            _ => Vec::new(),
        };
        let (mut query, mut is_undecided) = (remote::first_page(self.form()), false);
        for number in 0..MOST_PAGES {
            let value = self.get_json(&format!("{}{query}", remote::list(self.form()))).await?;
            let (batches, next) = remote::page(self.form(), number, &value)?;
            for batch in batches {
                let is_it = match self.interface.mark {
                    BatchMark::Metadata | BatchMark::DisplayName => batch.mark.as_deref() == Some(lost.mark),
                    BatchMark::FileName => batch.input.is_some_and(|input| files.contains(&input)),
                    BatchMark::RequestIds if batch.requests != Some(lost.requests as u64) => false,
                    BatchMark::RequestIds
                        if batch.status().is_ok_and(|status| status == BatchStatus::Ended) =>
                    {
                        self.has_mark(&batch, lost.mark).await?
                    }
                    BatchMark::RequestIds => {
                        is_undecided = true;
                        false
                    }
                };
                if is_it {
                    return Ok(BatchSearch::Found(batch.id));
                }
            }
            match next {
                Some(next) => query = format!("{}{next}", remote::first_page(self.form())),
                None if is_undecided => return Ok(BatchSearch::Undecided),
                None => return Ok(BatchSearch::Missing),
            }
        }
        // Whoever says that there is none lets the requests be paid for again.
        Err(ProviderFailure::refused(format!(
            "the batch with the mark {} is not among the latest {} of the account",
            lost.mark,
            remote::PAGE * MOST_PAGES
        )))
    }

    /// The ids of the files that were uploaded with this mark: more than one if creating the batch
    /// failed at first.
    async fn files_of(&self, mark: &str) -> Result<Vec<String>, ProviderFailure> {
        let name = format!("{mark}.jsonl");
        let mut response = self.get("/files").await?;
        response.allow(LARGEST_BODY);
        let page: FilePage = parsed(&response.whole().await?)?;
        let files = page.data.into_iter().filter(|file| file.filename == name);
        Ok(files.map(|file| file.id).collect())
    }

    /// Returns whether the first answer of a batch has the mark.
    async fn has_mark(&self, batch: &RemoteBatch, mark: &str) -> Result<bool, ProviderFailure> {
        let Some(path) = batch.results.first() else { return Ok(false) };
        let mut response = self.get(path).await?;
        let (mut lines, mut first) = (Lines::default(), None);
        while let (None, Some(bytes)) = (first, response.chunk().await?) {
            first = lines.next(&mut &*bytes)?.map(|line| line::has_mark(&line, mark));
        }
        Ok(first.unwrap_or_else(|| line::has_mark(&lines.rest(), mark)))
    }

    async fn pass_results(&self, id: &str, sink: &mut BatchSink<'_>) -> Result<(), ProviderFailure> {
        let form = self.form();
        let mut pass = |line: &[u8]| {
            if let Some(id) = line::id(form, line) {
                sink(&id, line);
            }
        };
        if form == BatchForm::Generate {
            let mut response = self.get(&remote::path(form, id)).await?;
            response.allow(LARGEST_BODY);
            let body = response.whole().await?;
            let batch: WithAnswers<'_> =
                serde_json::from_slice(&body).map_err(|error| not_of_batches(&error))?;
            let list = batch.response.map_or_else(|| Ok(Vec::new()), |response| response.all())?;
            for answer in list {
                pass(answer.get().as_bytes());
            }
            return Ok(());
        }
        let batch = self.batch(id).await?;
        if batch.results.is_empty() && form == BatchForm::Messages {
            return Err(ProviderFailure::refused("the answers of the batch are not available any more"));
        }
        for path in &batch.results {
            let mut response = self.get(path).await?;
            response.allow(LARGEST_RESULTS);
            let mut lines = Lines::default();
            while let Some(bytes) = response.chunk().await? {
                let mut rest = &*bytes;
                while let Some(line) = lines.next(&mut rest)? {
                    pass(&line);
                }
            }
            pass(&lines.rest());
        }
        Ok(())
    }

    async fn cancel_open(&self, id: &str) -> Result<(), ProviderFailure> {
        // One that has ended would be refused.
        if self.batch(id).await?.status().is_ok_and(|status| status == BatchStatus::Open) {
            self.post_json(&remote::cancel_path(self.form(), id), b"{}".to_vec()).await?;
        }
        Ok(())
    }

    /// Runs a request to the server, outside of which no secret of the agent comes.
    fn asked<'a, T>(
        &'a self,
        ask: impl Future<Output = Result<T, ProviderFailure>> + Send + 'a,
    ) -> BatchFuture<'a, T> {
        Box::pin(async move {
            self.agent.check_callable()?;
            ask.await.map_err(|failure| line::to_error(&self.agent, failure))
        })
    }
}

/// The lines of a file as the items of an array.
fn listed(start: &str, file: &[u8], end: &str, write: impl Fn(&mut Vec<u8>, &[u8])) -> Vec<u8> {
    let mut body = Vec::with_capacity(file.len() + file.len() / 16 + start.len() + end.len());
    body.extend_from_slice(start.as_bytes());
    let lines = file.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    for (index, line) in lines.enumerate() {
        if index > 0 {
            body.push(b',');
        }
        write(&mut body, line);
    }
    body.extend_from_slice(end.as_bytes());
    body
}

/// Returns the body of an upload. The mark is a boundary that no file has: it is random, and each line
/// of the file is JSON.
fn multipart(fields: &[(&str, &str)], file: &[u8], mark: &str) -> Vec<u8> {
    let mut head = String::new();
    for (name, value) in fields {
        let _ =
            write!(head, "--{mark}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
    }
    let _ = write!(
        head,
        "--{mark}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{mark}.jsonl\"\r\n\
         Content-Type: application/jsonl\r\n\r\n"
    );
    [head.as_bytes(), file, format!("\r\n--{mark}--\r\n").as_bytes()].concat()
}

async fn succeeded(response: Response) -> Result<Response, ProviderFailure> {
    if (200..300).contains(&response.status()) { Ok(response) } else { Err(response.failure().await) }
}

fn parsed<T: DeserializeOwned>(body: &[u8]) -> Result<T, ProviderFailure> {
    serde_json::from_slice(body).map_err(|error| not_of_batches(&error))
}

fn not_of_batches(error: &serde_json::Error) -> ProviderFailure {
    ProviderFailure::garbled(format!("not an answer about batches: {error}"))
}

impl BatchAgent for ProviderBatches {
    fn write(&self, id: &str, request: &Request) -> Result<WrittenRequest, AgentError> {
        line::write(&self.agent, self.form(), id, request)
    }

    fn read(&self, request: &Request, sent: &str, answer: &[u8]) -> Result<Reply, AgentError> {
        line::read(&self.agent, self.form(), (request, sent), answer)
    }

    fn submit<'a>(&'a self, file: &'a [u8], mark: &'a str) -> BatchFuture<'a, String> {
        self.asked(self.send(file, mark))
    }

    fn find<'a>(&'a self, lost: LostBatch<'a>) -> BatchFuture<'a, BatchSearch> {
        self.asked(self.find_lost(lost))
    }

    fn status<'a>(&'a self, id: &'a str) -> BatchFuture<'a, BatchStatus> {
        self.asked(async { self.batch(id).await?.status() })
    }

    fn results<'a>(&'a self, id: &'a str, mut sink: BatchSink<'a>) -> BatchFuture<'a, ()> {
        self.asked(async move { self.pass_results(id, &mut sink).await })
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BatchFuture<'a, ()> {
        self.asked(self.cancel_open(id))
    }

    fn limits(&self) -> BatchLimits {
        self.interface.limits
    }
}
