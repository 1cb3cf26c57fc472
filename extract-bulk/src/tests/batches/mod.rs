//! Jobs whose requests are answered in batches, against a scripted provider and a simulated clock.

mod fates;
mod refusals;
mod waves;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
    time::Duration,
};

use extract::{
    Contract,
    agent::{
        Agent, AgentError, AgentErrorKind, BatchAgent, BatchFuture, BatchLimits, BatchSearch, BatchSink,
        BatchStatus, Constraint, ConstraintFuture, FinishReason, LostBatch, Reply, ReplyFuture, Request,
        WrittenRequest,
    },
};
use serde_json::{Value, json};

use super::simulated::{Shared, SimulatedClock};
use crate::{Batches, Bulk, BulkError, ContractBulkExt as _, Doc, Report};

/// Hours that a batch takes.
const HOURS: u64 = 5;

fn hours(hours: u64) -> Duration {
    Duration::from_secs(3_600 * hours)
}

/// The fate of a line of a batch.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Answered,
    /// A failure, the answer, and another answer.
    Twice,
    /// An error.
    Failed,
    /// An error that the same request would have again.
    Refused,
    /// The account has no money left.
    NoCredit,
    /// It expired, or the batch was cancelled before.
    Missing,
}

/// The fate of a batch.
#[derive(Debug, Clone, Copy, PartialEq)]
enum BatchFate {
    Ended,
    /// Its file of answers breaks off the first time.
    BrokenOff,
    /// Its file of answers is gone after the first line.
    Gone,
}

/// A request in a batch.
#[derive(Debug, Clone)]
struct SentLine {
    id: String,
    text: String,
}

#[derive(Debug)]
struct SentBatch {
    mark: String,
    lines: Vec<SentLine>,
    /// When it ends.
    end: Duration,
    is_cancelled: bool,
    is_refused: bool,
    /// How often its answers were asked for.
    reads: usize,
}

/// What survives the process of the job.
#[derive(Default)]
struct Provider {
    /// By id.
    batches: BTreeMap<String, SentBatch>,
    /// How often each request was sent.
    sent: HashMap<String, usize>,
    /// The batches in which each request was without an answer.
    unanswered: HashMap<String, BTreeSet<usize>>,
    calls: usize,
    /// The most requests in open batches.
    most_open: usize,
    /// How often a batch is not found yet.
    undecided: usize,
    /// Errors of sending, each before or after the batch exists.
    send_errors: Vec<Dies>,
    /// Files that are refused as a whole, and when.
    refuses: Option<(When, Refuses)>,
    /// How many files were refused.
    refused: usize,
}

/// Returns whether a file with these texts is refused.
type Refuses = fn(&[&str]) -> bool;

/// When a file is refused.
#[derive(Debug, Clone, Copy, PartialEq)]
enum When {
    Sent,
    /// After it has an id.
    Validated,
}

impl Provider {
    /// Leaves a request in a batch without an answer.
    fn left(&mut self, id: &str, batch: usize) {
        self.unanswered.entry(id.to_owned()).or_default().insert(batch);
    }

    fn refuses(&mut self, when: When, lines: &[SentLine]) -> bool {
        let texts: Vec<_> = lines.iter().map(|line| &*line.text).collect();
        let is_refused = self.refuses.is_some_and(|(at, refuses)| at == when && refuses(&texts));
        self.refused += usize::from(is_refused);
        is_refused
    }
}

struct Scripted {
    provider: Mutex<Provider>,
    clock: Mutex<Option<Arc<SimulatedClock>>>,
    fate: Box<dyn Fn(usize, usize) -> Fate + Send + Sync>,
    batch_fate: Box<dyn Fn(usize) -> BatchFate + Send + Sync>,
    /// The call at which the process dies, before or after it has its effect.
    dies: Mutex<Option<(usize, Dies)>>,
    limits: BatchLimits,
    /// The reply to a question.
    answer: fn(&str) -> String,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Dies {
    Before,
    After,
}

impl Scripted {
    fn new(fate: impl Fn(usize, usize) -> Fate + Send + Sync + 'static) -> Self {
        Self {
            provider: Mutex::default(),
            clock: Mutex::default(),
            fate: Box::new(fate),
            batch_fate: Box::new(|_| BatchFate::Ended),
            dies: Mutex::default(),
            limits: BatchLimits::default(),
            answer,
        }
    }

    fn answering() -> Arc<Self> {
        Arc::new(Self::new(|_, _| Fate::Answered))
    }

    fn provider(&self) -> MutexGuard<'_, Provider> {
        self.provider.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sizes(&self) -> Vec<usize> {
        let provider = self.provider();
        let accepted = provider.batches.values().filter(|batch| !batch.is_refused);
        accepted.map(|batch| batch.lines.len()).collect()
    }

    fn now(&self) -> Duration {
        let clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        clock.as_ref().map_or(Duration::ZERO, |clock| clock.elapsed())
    }

    fn set_clock(&self, clock: &Arc<SimulatedClock>) {
        *self.clock.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(clock));
    }

    fn call<T>(&self, effect: impl FnOnce(&mut Provider) -> T) -> T {
        let mut provider = self.provider();
        provider.calls += 1;
        let calls = provider.calls;
        let dies = self.dies.lock().unwrap_or_else(PoisonError::into_inner);
        let dies = dies.filter(|(at, _)| *at == calls).map(|(_, dies)| dies);
        assert!(dies != Some(Dies::Before), "killed");
        let done = effect(&mut provider);
        assert!(dies != Some(Dies::After), "killed");
        done
    }
}

/// The provider as a process of the job sees it.
struct Remote(Arc<Scripted>);

impl Remote {
    fn sent_of(request: &Request) -> String {
        format!("{} characters", request.conversation.to_text().len())
    }
}

impl BatchAgent for Remote {
    fn write(&self, id: &str, request: &Request) -> Result<WrittenRequest, AgentError> {
        let mut text = request.conversation.to_text();
        text.extend(request.prefill.as_deref().map(|prefill| format!("[continue]{prefill}")));
        let line = serde_json::to_vec(&json!({"id": id, "text": text})).unwrap();
        Ok(WrittenRequest { line, sent: Self::sent_of(request) })
    }

    fn read(&self, request: &Request, sent: &str, answer: &[u8]) -> Result<Reply, AgentError> {
        assert_eq!(sent, Self::sent_of(request), "the note comes back with its answer");
        match str::from_utf8(answer).unwrap() {
            "failed" => Err(AgentError::garbled("it failed")),
            "refused" => Err(AgentError::refused("unknown model").with_status(404)),
            "no credit" => Err(AgentError::refused("no credit").of_account()),
            answer => Ok(match answer.strip_suffix("[cut]") {
                Some(cut) => Reply::new(cut).finished(FinishReason::Length),
                None => Reply::new(answer),
            }),
        }
    }

    fn submit<'a>(&'a self, file: &'a [u8], mark: &'a str) -> BatchFuture<'a, String> {
        Box::pin(async move {
            let now = self.0.now();
            self.0.call(|provider| {
                let error = provider.send_errors.pop();
                if error == Some(Dies::Before) {
                    return Err(AgentError::new(AgentErrorKind::Transport, "no connection"));
                }
                let lines = str::from_utf8(file).unwrap().lines().map(|line| {
                    let line: Value = serde_json::from_str(line).unwrap();
                    let string = |name: &str| line[name].as_str().unwrap().to_owned();
                    SentLine { id: string("id"), text: string("text") }
                });
                let lines: Vec<_> = lines.collect();
                if provider.refuses(When::Sent, &lines) {
                    return Err(AgentError::refused("a line is not valid").with_status(400));
                }
                for line in &lines {
                    *provider.sent.entry(line.id.clone()).or_default() += 1;
                }
                let id = format!("batch-{:04}", provider.batches.len());
                assert!(provider.batches.values().all(|other| other.mark != mark), "a mark is used twice");
                let batch = SentBatch {
                    mark: mark.to_owned(),
                    lines,
                    end: now + hours(HOURS),
                    is_cancelled: false,
                    is_refused: false,
                    reads: 0,
                };
                provider.batches.insert(id.clone(), batch);
                let open = provider.batches.values().filter(|batch| batch.end > now);
                let open = open.map(|batch| batch.lines.len()).sum();
                provider.most_open = provider.most_open.max(open);
                match error {
                    None => Ok(id),
                    Some(_) => Err(AgentError::new(AgentErrorKind::Transport, "the response is lost")),
                }
            })
        })
    }

    fn find<'a>(&'a self, lost: LostBatch<'a>) -> BatchFuture<'a, BatchSearch> {
        Box::pin(async move {
            Ok(self.0.call(|provider| {
                if provider.undecided > 0 {
                    provider.undecided -= 1;
                    return BatchSearch::Undecided;
                }
                let found = provider.batches.iter().find(|(_, batch)| batch.mark == lost.mark);
                found.map_or(BatchSearch::Missing, |(id, batch)| {
                    assert_eq!(batch.lines.len(), lost.requests);
                    BatchSearch::Found(id.clone())
                })
            }))
        })
    }

    fn status<'a>(&'a self, id: &'a str) -> BatchFuture<'a, BatchStatus> {
        Box::pin(async move {
            let now = self.0.now();
            Ok(self.0.call(|provider| {
                let lines = provider.batches[id].lines.clone();
                let is_refused = provider.batches[id].is_refused || provider.refuses(When::Validated, &lines);
                provider.batches.get_mut(id).unwrap().is_refused = is_refused;
                if is_refused {
                    return BatchStatus::Refused { reason: "a line is not valid".to_owned() };
                }
                if now >= provider.batches[id].end { BatchStatus::Ended } else { BatchStatus::Open }
            }))
        })
    }

    fn results<'a>(&'a self, id: &'a str, mut sink: BatchSink<'a>) -> BatchFuture<'a, ()> {
        Box::pin(async move {
            let number = id.strip_prefix("batch-").unwrap().parse::<usize>().unwrap();
            let (lines, reads, is_cancelled) = self.0.call(|provider| {
                let batch = provider.batches.get_mut(id).unwrap();
                batch.reads += 1;
                (batch.lines.clone(), batch.reads, batch.is_cancelled)
            });
            let fate = (self.0.batch_fate)(number);
            sink("an id that nobody sent", b"0");
            // In another order than they were sent.
            for (position, SentLine { id, text }) in lines.iter().enumerate().rev() {
                if fate != BatchFate::Ended && position == lines.len() / 2 {
                    match fate {
                        BatchFate::BrokenOff if reads == 1 => {
                            return Err(AgentError::new(AgentErrorKind::Transport, "it broke off"));
                        }
                        BatchFate::Gone => {
                            for line in &lines[..=position] {
                                self.0.provider().left(&line.id, number);
                            }
                            return Err(AgentError::refused("the file is gone"));
                        }
                        _ => {}
                    }
                }
                let fate = if is_cancelled && position % 2 == 1 {
                    Fate::Missing
                } else {
                    (self.0.fate)(number, position)
                };
                let answer = (self.0.answer)(text);
                match fate {
                    Fate::Answered => sink(id, answer.as_bytes()),
                    Fate::Twice => {
                        sink(id, b"failed");
                        sink(id, answer.as_bytes());
                        sink(id, b"999");
                    }
                    Fate::Failed => sink(id, b"failed"),
                    Fate::Refused => sink(id, b"refused"),
                    Fate::NoCredit => sink(id, b"no credit"),
                    Fate::Missing => {}
                }
                if matches!(fate, Fate::Failed | Fate::Missing) {
                    self.0.provider().left(id, number);
                }
            }
            Ok(())
        })
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BatchFuture<'a, ()> {
        Box::pin(async move {
            let now = self.0.now();
            self.0.call(|provider| {
                let batch = provider.batches.get_mut(id).unwrap();
                (batch.end, batch.is_cancelled) = (batch.end.min(now), true);
            });
            Ok(())
        })
    }

    fn limits(&self) -> BatchLimits {
        self.0.limits
    }
}

/// The reply to a question: some documents need a second one, some never get an answer.
fn answer(text: &str) -> String {
    let name = text.split_once('<').and_then(|(_, rest)| rest.split_once('>')).unwrap().0;
    let number: u32 = name.parse().unwrap();
    match number % 10 {
        3 if !text.contains("Attempt 2 of 3") => "not yet".to_owned(),
        7 => "never".to_owned(),
        _ => name.to_owned(),
    }
}

/// The agent of the job, which answers by itself if there are no batches.
#[derive(Default)]
struct Local {
    constraints: AtomicUsize,
    calls: AtomicUsize,
    at_once: AtomicUsize,
    most_at_once: AtomicUsize,
}

impl Agent for Local {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async move {
            self.calls.fetch_add(1, Ordering::Relaxed);
            let at_once = self.at_once.fetch_add(1, Ordering::Relaxed) + 1;
            self.most_at_once.fetch_max(at_once, Ordering::Relaxed);
            let mut has_waited = false;
            std::future::poll_fn(|context| {
                context.waker().wake_by_ref();
                if std::mem::replace(&mut has_waited, true) { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
            self.at_once.fetch_sub(1, Ordering::Relaxed);
            Ok(Reply::new(answer(&request.conversation.to_text())))
        })
    }

    /// Like a provider that refuses the schema of the third request. Requests depend on it.
    fn constraint<'a>(&'a self, _: &'a Request) -> ConstraintFuture<'a> {
        let is_early = self.constraints.fetch_add(1, Ordering::Relaxed) < 3;
        let constraint = if is_early { Constraint::by_decoder([]) } else { Constraint::nothing() };
        Box::pin(async { constraint })
    }
}

pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("extract-batches-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn job<'a>(contract: &Contract, agent: &'a Local, count: u32, journal: &Path) -> Bulk<'a, Value> {
    let documents = (0..count).map(|number| Doc::new(number.to_string(), format!("<{number}>")));
    contract.bulk(agent, documents).concurrent(4).journal(journal)
}

fn run(
    remote: &Arc<Scripted>,
    count: u32,
    folder: &Folder,
    batches: impl FnOnce(Batches) -> Batches,
) -> Result<Report, BulkError> {
    run_at(0, remote, count, folder, batches)
}

/// Runs the job in a process that starts at this hour.
fn run_at(
    hour: u64,
    remote: &Arc<Scripted>,
    count: u32,
    folder: &Folder,
    batches: impl FnOnce(Batches) -> Batches,
) -> Result<Report, BulkError> {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let (journal, output) = (folder.file("j.redb"), folder.file("o.jsonl"));
    let clock = SimulatedClock::at(hours(hour));
    remote.set_clock(&clock);
    let local = Local::default();
    let job = job(&contract, &local, count, &journal).clock(Arc::new(Shared(Arc::clone(&clock))));
    clock.block_on(job.batches(batches(Batches::through(Remote(Arc::clone(remote))))).into_jsonl(output))
}

/// Key and value or error of each line of an output.
fn outcomes(path: &Path) -> Vec<(String, Value, Value)> {
    let text = std::fs::read_to_string(path).unwrap();
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        (line["key"].as_str().unwrap().to_owned(), line["value"].clone(), line["error"]["name"].clone())
    };
    text.lines().map(line).collect()
}

fn ordinary(count: u32, folder: &Folder) -> Vec<(String, Value, Value)> {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let output = folder.file("ordinary.jsonl");
    let local = Local::default();
    let job = job(&contract, &local, count, &folder.file("ordinary.redb")).into_jsonl(&output);
    extract::testing::block_on(job).unwrap();
    outcomes(&output)
}
