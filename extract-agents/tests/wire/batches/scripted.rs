//! A provider of batches in each form, on this machine, with simulated hours.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard},
    thread,
};

use serde_json::{Value, json};

use crate::formats::{stop, whole};

/// Hours that a batch takes.
const HOURS: u64 = 5;

/// The fate of a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fate {
    Answered,
    Twice,
    /// An error that names the request.
    Refused,
    /// There was no time for it.
    Expired,
    /// No line says anything of it.
    Missing,
}

/// What the provider has.
#[derive(Debug, Default)]
pub(super) struct State {
    hours: u64,
    /// Name and content by id.
    pub(super) files: BTreeMap<String, (String, Vec<u8>)>,
    pub(super) batches: Vec<Batch>,
    pub(super) fates: Vec<Fate>,
    /// Whether answers are deleted.
    pub(super) are_results_gone: bool,
    /// Requests with their bodies, and the answers to those about batches.
    pub(super) seen: Vec<(String, Vec<u8>)>,
    pub(super) said: Vec<Value>,
}

#[derive(Debug)]
pub(super) struct Batch {
    id: String,
    file: String,
    /// The members of its creation.
    created: Value,
    requests: Vec<Value>,
    end: u64,
    is_cancelled: bool,
}

pub(super) struct ScriptedProvider {
    name: &'static str,
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl ScriptedProvider {
    pub(super) fn start(name: &'static str, fates: &[Fate]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State { fates: fates.to_owned(), ..State::default() }));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let _ = serve(name, &shared, &mut stream.unwrap());
            }
        });
        Self { name, address, state }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/api", self.address)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub(super) fn pass_hours(&self, hours: u64) {
        self.state().hours += hours;
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }
}

fn serve(name: &'static str, state: &Mutex<State>, stream: &mut TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut head, mut length) = (String::new(), 0);
    reader.read_line(&mut head)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let mut words = head.split_whitespace();
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = path.strip_prefix("/api").unwrap_or(path);
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut state = state.lock().unwrap();
    state.seen.push((format!("{method} {path}"), body.clone()));
    let (status, kind, answer) = match state.answer(name, method, (path, query), &body) {
        Some(Ok(value)) => ("200 OK", "application/json", value.to_string().into_bytes()),
        Some(Err(bytes)) => ("200 OK", "application/jsonl", bytes),
        None => ("404 Not Found", "application/json", b"{\"error\": {\"message\": \"not found\"}}".to_vec()),
    };
    drop(state);
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        answer.len()
    )?;
    stream.write_all(&answer)
}

/// JSON, or the bytes of a file; `None` if there is nothing.
type Said = Option<Result<Value, Vec<u8>>>;

impl State {
    fn answer(&mut self, name: &str, method: &str, (path, query): (&str, &str), body: &[u8]) -> Said {
        let list = match name {
            "mistral" => "/batch/jobs",
            "anthropic" => "/messages/batches",
            _ => "/batches",
        };
        if let Some(file) = path.strip_prefix("/files") {
            return self.files(name, method, file, body);
        }
        if method == "POST" && (path == list || path.ends_with(":batchGenerateContent")) {
            let created: Value = serde_json::from_slice(body).unwrap();
            return Some(Ok(self.create(name, created)));
        }
        let rest = path.strip_prefix(list)?;
        if rest.is_empty() {
            return Some(Ok(self.page(name, query)));
        }
        let rest = rest.strip_prefix('/')?;
        let (id, what) = rest.split_once(['/', ':']).unwrap_or((rest, ""));
        let index = self.batches.iter().position(|batch| batch.id == id)?;
        match what {
            "" => {}
            "cancel" => {
                let hours = self.hours;
                let batch = &mut self.batches[index];
                assert!(hours < batch.end, "a batch that has ended is cancelled");
                (batch.is_cancelled, batch.end) = (true, hours);
            }
            "results" if !self.are_results_gone => return Some(Err(self.results(name, index))),
            _ => return None,
        }
        let said = self.shown(name, &self.batches[index], Some(index));
        self.said.push(said.clone());
        Some(Ok(said))
    }

    fn files(&mut self, name: &str, method: &str, path: &str, body: &[u8]) -> Said {
        let upload = if name == "together" { "/upload" } else { "" };
        if method == "POST" && path == upload {
            let text = String::from_utf8(body.to_vec()).unwrap();
            let purpose = if name == "together" { "batch-api" } else { "batch" };
            assert!(text.contains(&format!("name=\"purpose\"\r\n\r\n{purpose}\r\n")), "{text}");
            let named = text.split_once("filename=\"").unwrap().1.split_once('"').unwrap().0.to_owned();
            let content = text.split_once("application/jsonl\r\n\r\n").unwrap().1;
            let content = content.rsplit_once("\r\n--").unwrap().0.as_bytes().to_vec();
            let id = format!("file-{}", self.files.len());
            self.files.insert(id.clone(), (named.clone(), content));
            return Some(Ok(json!({"id": id, "filename": named})));
        }
        if path.is_empty() {
            let files = self.files.iter().map(|(id, (name, _))| json!({"id": id, "filename": name}));
            return Some(Ok(json!({"data": files.collect::<Vec<_>>()})));
        }
        let index = path.strip_prefix("/out-")?.strip_suffix("/content")?.parse().ok()?;
        if self.are_results_gone { None } else { Some(Err(self.results(name, index))) }
    }

    fn create(&mut self, name: &str, created: Value) -> Value {
        let file = match name {
            "mistral" => created["input_files"][0].as_str(),
            _ => created["input_file_id"].as_str(),
        };
        let file = file.unwrap_or_default().to_owned();
        let requests = match name {
            "anthropic" => created["requests"].as_array().unwrap().clone(),
            "gemini" => created["batch"]["input_config"]["requests"]["requests"].as_array().unwrap().clone(),
            _ => {
                let lines = self.files[&file].1.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
                lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
            }
        };
        let id = format!("b{}", self.batches.len());
        let end = self.hours + HOURS;
        self.batches.push(Batch { id, file, created, requests, end, is_cancelled: false });
        let shown = self.shown(name, self.batches.last().unwrap(), None);
        self.said.push(shown.clone());
        if name == "together" { json!({"job": shown, "warning": ""}) } else { shown }
    }

    /// The newest first, two on a page.
    fn page(&self, name: &str, query: &str) -> Value {
        let newest: Vec<_> = self.batches.iter().rev().map(|batch| self.shown(name, batch, None)).collect();
        let value_of = |name: &str| {
            query.split('&').find_map(|pair| Some(pair.strip_prefix(name)?.strip_prefix('=')?.to_owned()))
        };
        let after = |id: String| newest.iter().position(|batch| batch["id"] == *id).unwrap() + 1;
        let start = match name {
            "together" => return Value::Array(newest),
            "mistral" => return json!({"total": newest.len(), "object": "list", "data": newest}),
            "anthropic" => value_of("after_id").map_or(0, after),
            "gemini" => value_of("pageToken").map_or(0, |token| token.parse().unwrap()),
            _ => value_of("after").map_or(0, after),
        };
        let page: Vec<_> = newest.iter().skip(start).take(2).cloned().collect();
        let has_more = start + 2 < newest.len();
        match name {
            "gemini" if has_more => json!({"operations": page, "nextPageToken": (start + 2).to_string()}),
            "gemini" => json!({"operations": page}),
            _ => json!({"object": "list", "data": page, "has_more": has_more}),
        }
    }

    /// A batch in the words of the provider, with its answers where they are in it.
    fn shown(&self, name: &str, batch: &Batch, index: Option<usize>) -> Value {
        let has_ended = self.hours >= batch.end;
        let pick = |open: &str, ended: &str, cancelled: &str| {
            let state = if !has_ended {
                open
            } else if batch.is_cancelled {
                cancelled
            } else {
                ended
            };
            Value::String(state.to_owned())
        };
        let number: usize = batch.id[1..].parse().unwrap();
        let out = if has_ended { json!(format!("out-{number}")) } else { Value::Null };
        let count = batch.requests.len();
        match name {
            "anthropic" => json!({
                "id": batch.id, "type": "message_batch", "created_at": "2026-11-26T00:00:00Z",
                "expires_at": "2026-11-27T00:00:00Z", "archived_at": null, "cancel_initiated_at": null,
                "ended_at": null, "processing_status": pick("in_progress", "ended", "ended"),
                "results_url": (has_ended && !self.are_results_gone).then_some("https://elsewhere.example/results"),
                "request_counts": {"processing": count, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0},
            }),
            "gemini" => {
                let state = pick("BATCH_STATE_RUNNING", "BATCH_STATE_SUCCEEDED", "BATCH_STATE_CANCELLED");
                let mut shown = json!({"name": format!("batches/{}", batch.id), "done": has_ended, "metadata": {
                    "state": state, "displayName": batch.created["batch"]["display_name"],
                    "model": "models/some-model", "createTime": "2026-11-26T00:00:00Z"}});
                if let Some(index) = index.filter(|_| has_ended && !self.are_results_gone) {
                    let lines = self.lines(name, index);
                    shown["response"] = json!({"inlinedResponses": {"inlinedResponses": lines}});
                }
                shown
            }
            "mistral" => json!({
                "id": batch.id, "object": "batch", "input_files": [batch.file], "endpoint": batch.created["endpoint"],
                "errors": [], "status": pick("RUNNING", "TIMEOUT_EXCEEDED", "CANCELLED"), "created_at": 1,
                "total_requests": count, "completed_requests": 0, "succeeded_requests": 0, "failed_requests": 0,
                "metadata": batch.created["metadata"], "model": batch.created["model"], "output_file": out,
                "error_file": null,
            }),
            "together" => json!({
                "id": batch.id, "input_file_id": batch.file, "endpoint": batch.created["endpoint"],
                "status": pick("IN_PROGRESS", "EXPIRED", "CANCELLED"), "output_file_id": out,
            }),
            _ => {
                // Azure begins its words with a capital letter.
                let state = match name {
                    "azure" => pick("In_Progress", "Expired", "Cancelled"),
                    _ => pick("in_progress", "expired", "cancelled"),
                };
                json!({
                    "id": batch.id, "object": "batch", "created_at": 1, "completion_window": "24h",
                    "endpoint": batch.created["endpoint"], "input_file_id": batch.file, "status": state,
                    "output_file_id": out, "error_file_id": null, "errors": null,
                    "metadata": batch.created["metadata"],
                })
            }
        }
    }

    fn results(&self, name: &str, index: usize) -> Vec<u8> {
        let lines: Vec<_> = self.lines(name, index).iter().map(Value::to_string).collect();
        lines.join("\n").into_bytes()
    }

    /// The answers, in another order than the requests.
    fn lines(&self, name: &str, index: usize) -> Vec<Value> {
        let batch = &self.batches[index];
        let mut lines = Vec::new();
        for (position, request) in batch.requests.iter().enumerate().rev() {
            let fate = self.fates.get(position).copied().unwrap_or(Fate::Answered);
            let fate = if batch.is_cancelled && position > 0 { Fate::Expired } else { fate };
            let text = format!("[{position}]");
            match fate {
                Fate::Missing => {}
                Fate::Answered => lines.push(line(name, request, &text, fate)),
                Fate::Twice => {
                    lines.push(line(name, request, &text, fate));
                    lines.push(line(name, request, "[999]", fate));
                }
                Fate::Refused | Fate::Expired => lines.push(line(name, request, "", fate)),
            }
        }
        lines
    }
}

/// The answer to a request, in the form of the provider.
fn line(name: &str, request: &Value, text: &str, fate: Fate) -> Value {
    let wire = match name {
        "anthropic" | "gemini" | "openai-responses" => name,
        _ => "openai",
    };
    let reply = whole(wire, text, stop(wire));
    let message = "the prompt has a word that is not allowed";
    match name {
        "anthropic" => {
            let result = match fate {
                Fate::Refused => {
                    let error = json!({"type": "invalid_request_error", "message": message});
                    json!({"type": "errored", "error": {"type": "error", "error": error, "request_id": "req_7"}})
                }
                Fate::Expired => json!({"type": "expired"}),
                _ => json!({"type": "succeeded", "message": reply}),
            };
            json!({"custom_id": request["custom_id"], "result": result})
        }
        "gemini" => match fate {
            Fate::Refused => {
                json!({"error": {"code": 3, "message": message}, "metadata": request["metadata"]})
            }
            Fate::Expired => {
                json!({"error": {"code": 4, "message": "expired"}, "metadata": request["metadata"]})
            }
            _ => json!({"response": reply, "metadata": request["metadata"]}),
        },
        _ => {
            let response =
                |status: u16, body: Value| json!({"status_code": status, "request_id": "r", "body": body});
            let (response, error) = match fate {
                Fate::Refused => (response(400, json!({"error": {"message": message}})), Value::Null),
                Fate::Expired => (Value::Null, json!({"code": "batch_expired", "message": "too late"})),
                _ => (response(200, reply), Value::Null),
            };
            json!({"id": "x", "custom_id": request["custom_id"], "response": response, "error": error})
        }
    }
}
