//! Jobs with batches in a separate process, which is killed. The provider is a folder, which outlives it.
//!
//! It is killed from outside at any time, and kills itself at exact points: while the answers of a batch are read, when
//! some of them are in the journal, and while they are judged, when some documents have their outcome, others are about to
//! be asked again, and their answers are only in the journal.
#![cfg(unix)]

use std::{
    collections::HashMap,
    env,
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    process::{self, Child, Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use extract::{
    Contract, Rejection,
    agent::{
        Agent, AgentError, BatchAgent, BatchFuture, BatchSearch, BatchSink, BatchStatus, LostBatch, Reply,
        ReplyFuture, Request, WrittenRequest,
    },
    testing::block_on,
};
use extract_bulk::{Batches, Bulk, ContractBulkExt as _, Doc, Ended, Journal, Report};
use serde_json::{Value, json};

const FOLDER: &str = "EXTRACT_BATCH_KILLS";

/// Where a child kills itself, `line` or `judged`, how many of them it lives to see, and of how many documents.
const KILLED_AT: &str = "EXTRACT_BATCH_KILLED_AT";

const DOCUMENTS: usize = 60;

/// Of jobs whose processes kill themselves. The answers of one wave of them are several entries of the journal.
const MANY_DOCUMENTS: usize = 150;

/// More than are in flight at once, so that some have their outcome before others of their wave go on.
const MOST_DOCUMENTS: usize = 1_500;

/// How long a batch takes: hours, for those who wait for them in milliseconds.
const HOURS: Duration = Duration::from_millis(3);

/// Ends the process, without any destructor, at the point that the test wants.
fn may_be_killed(at: &str) {
    static PASSED: AtomicUsize = AtomicUsize::new(0);
    let Some(point) = KilledAt::of_process() else { return };
    if point.name == at && PASSED.fetch_add(1, Ordering::Relaxed) >= point.after {
        process::abort();
    }
}

/// A point at which a process kills itself.
#[derive(Debug, Clone, PartialEq)]
struct KilledAt {
    name: String,
    after: usize,
    /// How many documents the job has.
    documents: usize,
}

impl KilledAt {
    fn new(name: &str, after: usize, documents: usize) -> Self {
        Self { name: name.to_owned(), after, documents }
    }

    fn of_process() -> Option<Self> {
        let point = env::var(KILLED_AT).ok()?;
        let [name, after, documents] = point.split(' ').collect::<Vec<_>>()[..] else { return None };
        Some(Self::new(name, after.parse().unwrap(), documents.parse().unwrap()))
    }

    fn to_variable(&self) -> String {
        format!("{} {} {}", self.name, self.after, self.documents)
    }
}

/// How many questions a document needs: some need a second attempt, some never get an answer.
fn attempts(number: usize) -> usize {
    match number % 10 {
        3 => 2,
        7 => 3,
        _ => 1,
    }
}

fn answer(text: &str) -> String {
    let name = text.split_once('<').and_then(|(_, rest)| rest.split_once('>')).unwrap().0;
    match attempts(name.parse().unwrap()) {
        2 if !text.contains("Attempt 2 of 3") => "not yet".to_owned(),
        3 => "never".to_owned(),
        _ => name.to_owned(),
    }
}

/// Each batch is a file, which is there at once or not at all.
struct FolderProvider(PathBuf);

impl FolderProvider {
    fn path(&self, mark: &str) -> PathBuf {
        self.0.join(mark)
    }

    /// Records a call in a file, which outlives the process.
    fn called(&self) {
        let file = File::options().append(true).create(true).open(self.0.with_extension("calls"));
        file.unwrap().write_all(b".").unwrap();
    }

    /// How often each request was sent.
    fn sent(&self) -> HashMap<String, usize> {
        let mut sent = HashMap::new();
        for file in fs::read_dir(&self.0).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some() {
                continue;
            }
            for line in fs::read_to_string(path).unwrap().lines() {
                let line: Value = serde_json::from_str(line).unwrap();
                *sent.entry(line["id"].as_str().unwrap().to_owned()).or_default() += 1;
            }
        }
        sent
    }
}

impl BatchAgent for FolderProvider {
    fn write(&self, id: &str, request: &Request) -> Result<WrittenRequest, AgentError> {
        let line = json!({"id": id, "text": request.conversation.to_text()});
        Ok(line.to_string().into_bytes().into())
    }

    fn read(&self, _: &Request, _: &str, answer: &[u8]) -> Result<Reply, AgentError> {
        Ok(Reply::new(str::from_utf8(answer).unwrap()))
    }

    fn submit<'a>(&'a self, file: &'a [u8], mark: &'a str) -> BatchFuture<'a, String> {
        Box::pin(async move {
            self.called();
            let unfinished = self.path(mark).with_extension("unfinished");
            fs::write(&unfinished, file).unwrap();
            fs::rename(unfinished, self.path(mark)).unwrap();
            Ok(format!("id of {mark}"))
        })
    }

    fn find<'a>(&'a self, lost: LostBatch<'a>) -> BatchFuture<'a, BatchSearch> {
        Box::pin(async move {
            self.called();
            Ok(if self.path(lost.mark).exists() {
                BatchSearch::Found(format!("id of {}", lost.mark))
            } else {
                BatchSearch::Missing
            })
        })
    }

    fn status<'a>(&'a self, id: &'a str) -> BatchFuture<'a, BatchStatus> {
        Box::pin(async move {
            self.called();
            let file = fs::metadata(self.path(id.strip_prefix("id of ").unwrap())).unwrap();
            let age = file.modified().unwrap().elapsed().unwrap_or_default();
            Ok(if age < HOURS { BatchStatus::Open } else { BatchStatus::Ended })
        })
    }

    fn results<'a>(&'a self, id: &'a str, mut sink: BatchSink<'a>) -> BatchFuture<'a, ()> {
        Box::pin(async move {
            self.called();
            let text = fs::read_to_string(self.path(id.strip_prefix("id of ").unwrap())).unwrap();
            for line in text.lines().rev() {
                may_be_killed("line");
                let line: Value = serde_json::from_str(line).unwrap();
                sink(line["id"].as_str().unwrap(), answer(line["text"].as_str().unwrap()).as_bytes());
            }
            Ok(())
        })
    }

    fn cancel<'a>(&'a self, _: &'a str) -> BatchFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}

struct Local;

impl Agent for Local {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async { Ok(Reply::new(answer(&request.conversation.to_text()))) })
    }
}

fn job<'a>(contract: &Contract, agent: &'a Local, folder: &Path, count: usize) -> Bulk<'a, Value> {
    let documents = (0..count).map(|number| Doc::new(number.to_string(), format!("<{number}>")));
    contract.bulk(agent, documents).concurrent(8).journal(folder.join("j.redb"))
}

fn integers() -> Contract {
    Contract::from_schema(json!({"type": "integer"})).unwrap()
}

fn with_batches<'a>(job: Bulk<'a, Value>, folder: &Path, most: usize) -> Bulk<'a, Value> {
    let batches = Batches::through(FolderProvider(folder.join("batches"))).up_to(most);
    job.batches(batches.poll_every(Duration::from_millis(1)))
}

fn run(folder: &Path) -> Report {
    let contract = integers();
    let job = with_batches(job(&contract, &Local, folder, DOCUMENTS), folder, 25);
    block_on(job.into_jsonl(folder.join("o.jsonl"))).unwrap()
}

/// Ends the process at a point.
fn run_until_killed(folder: &Path) -> Report {
    let contract = integers();
    let documents = KilledAt::of_process().unwrap().documents;
    let job = job(&contract, &Local, folder, documents);
    let job = with_batches(job, folder, documents).configure(|extraction| {
        extraction.on_submit(|_: &Value| -> Result<(), Rejection> {
            may_be_killed("judged");
            Ok(())
        })
    });
    block_on(job.into_jsonl(folder.join("o.jsonl"))).unwrap()
}

/// Ends the process as soon as the answer about document 5 is judged.
fn run_with_poison(folder: &Path) -> Report {
    let contract = integers();
    let job = with_batches(job(&contract, &Local, folder, DOCUMENTS), folder, 25).configure(|extraction| {
        extraction.on_submit(|value: &Value| -> Result<(), Rejection> {
            if *value == 5 {
                process::abort();
            }
            Ok(())
        })
    });
    block_on(job.into_jsonl(folder.join("o.jsonl"))).unwrap()
}

/// The job, in the process that the other test starts.
#[test]
#[ignore = "started by the other test"]
fn child() {
    if let Some(folder) = env::var_os(FOLDER) {
        assert_eq!(run(Path::new(&folder)).ended, Ended::Complete);
    }
}

/// The job that ends its process at a point.
#[test]
#[ignore = "started by the other test"]
fn child_until_killed() {
    if let Some(folder) = env::var_os(FOLDER) {
        assert_eq!(run_until_killed(Path::new(&folder)).ended, Ended::Complete);
    }
}

/// The job with the document that ends its process.
#[test]
#[ignore = "started by the other test"]
fn child_with_poison() {
    if let Some(folder) = env::var_os(FOLDER) {
        let report = run_with_poison(Path::new(&folder));
        assert_eq!((report.ended, report.poisoned), (Ended::Complete, 1));
    }
}

/// Runs a test of this file in a process of its own.
fn start(test: &str, folder: &Path) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored"]).env(FOLDER, folder);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Runs the job that ends its process at a point.
fn start_until(point: &KilledAt, folder: &Path) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "child_until_killed", "--ignored"]).env(FOLDER, folder);
    command.env(KILLED_AT, point.to_variable());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

fn new_folder(number: usize) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("batch-kills-{number}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("batches")).unwrap();
    folder
}

fn calls_of(folder: &Path) -> u64 {
    fs::metadata(folder.join("batches.calls")).map_or(0, |file| file.len())
}

#[test]
fn a_job_that_is_killed_at_a_hundred_points_has_the_outcomes_of_one_without_batches() {
    let whole = new_folder(0);
    let contract = integers();
    block_on(job(&contract, &Local, &whole, DOCUMENTS).into_jsonl(whole.join("o.jsonl"))).unwrap();
    let expected = fs::read(whole.join("o.jsonl")).unwrap();

    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut kills, mut jobs) = (0, 0);
    while kills < 100 {
        jobs += 1;
        let folder = new_folder(jobs);
        loop {
            let mut child = start("child", &folder);
            // After some more calls, at a random point of a commit.
            let after = calls_of(&folder) + random.below(9);
            while kills < 100 && calls_of(&folder) < after && child.try_wait().unwrap().is_none() {
                thread::sleep(Duration::from_micros(200));
            }
            thread::sleep(Duration::from_micros(random.below(4_000)));
            let is_running = kills < 100 && child.try_wait().unwrap().is_none();
            if !is_running {
                assert!(child.wait().unwrap().success());
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
        }
        is_as_without_batches(&folder, &expected, DOCUMENTS, &format!("job {jobs}"));
        fs::remove_dir_all(folder).unwrap();
    }
    fs::remove_dir_all(whole).unwrap();
    assert!(jobs >= 2, "{jobs}");
}

/// Asserts that a job has these outcomes, and that it sent each request once.
fn is_as_without_batches(folder: &Path, expected: &[u8], count: usize, of: &str) {
    assert_eq!(fs::read(folder.join("o.jsonl")).unwrap(), expected, "{of}");
    let sent = FolderProvider(folder.join("batches")).sent();
    // No id is lost for good here, so nothing may be sent twice.
    assert!(sent.values().all(|count| *count == 1), "{of}: {sent:?}");
    assert_eq!(sent.len(), (0..count).map(attempts).sum::<usize>(), "{of}");
    let summary = Journal::open(folder.join("j.redb")).unwrap().inspect().unwrap();
    assert!(summary.batches.is_empty(), "{of}");
}

/// The lines of a job without batches.
fn without_batches(documents: usize) -> Vec<u8> {
    let folder = new_folder(10_000 + documents);
    let contract = integers();
    block_on(job(&contract, &Local, &folder, documents).into_jsonl(folder.join("o.jsonl"))).unwrap();
    let lines = fs::read(folder.join("o.jsonl")).unwrap();
    fs::remove_dir_all(folder).unwrap();
    lines
}

#[test]
fn a_job_that_is_killed_while_answers_are_read_or_judged_pays_for_none_of_them_again() {
    let expected =
        HashMap::from([MANY_DOCUMENTS, MOST_DOCUMENTS].map(|count| (count, without_batches(count))));
    let many = |name, after| KilledAt::new(name, after, MANY_DOCUMENTS);
    // The waves have 150, 30 and 15 lines. Of the answers, 120 and then 15 are values.
    let mut points: Vec<_> =
        (0..150).step_by(10).chain((150..195).step_by(5)).map(|at| many("line", at)).collect();
    points.extend((0..120).step_by(12).chain(120..135).map(|at| many("judged", at)));
    points.extend([1_030, 1_150].map(|at| KilledAt::new("judged", at, MOST_DOCUMENTS)));

    // Kills while the answers of a batch are read, while they are judged, and those after the first outcomes.
    let (mut reading, mut judging, mut late, mut in_wave) = (0, 0, 0, 0);
    for point in points {
        let folder = new_folder(2_001);
        assert!(!start_until(&point, &folder).wait().unwrap().success(), "{point:?}");
        let summary = Journal::open(folder.join("j.redb")).unwrap().inspect().unwrap();
        judging += usize::from(summary.batches.is_empty());
        reading += usize::from(!summary.batches.is_empty());
        late += usize::from(summary.done > 0);
        in_wave += usize::from(summary.done > 0 && point.documents == MOST_DOCUMENTS);
        assert!(
            start_until(&KilledAt { after: usize::MAX, ..point.clone() }, &folder).wait().unwrap().success(),
            "{point:?}"
        );
        is_as_without_batches(&folder, &expected[&point.documents], point.documents, &format!("{point:?}"));
        fs::remove_dir_all(folder).unwrap();
    }
    assert!(
        reading >= 20 && judging >= 20 && late >= 20 && in_wave == 2,
        "{reading}, {judging}, {late}, {in_wave}"
    );
}

#[test]
fn a_document_that_ends_the_process_again_and_again_is_given_up_and_the_others_are_done() {
    let folder = new_folder(1_000);
    let mut crashes = 0;
    while !start("child_with_poison", &folder).wait().unwrap().success() {
        crashes += 1;
        assert!(crashes < 10, "nothing is given up");
        if crashes == 1 {
            // Those in flight when it was judged, and not all that wait.
            let summary = Journal::open(folder.join("j.redb")).unwrap().inspect().unwrap();
            assert!((1..=25).contains(&summary.in_flight), "{summary}");
        }
    }
    // Once among many, then among few.
    assert!((3..=5).contains(&crashes), "{crashes}");
    let journal = Journal::open(folder.join("j.redb")).unwrap();
    let failed: Vec<_> = journal.dead_letters().unwrap().map(Result::unwrap).collect();
    let poisoned: Vec<_> = failed.iter().filter(|letter| letter.failure.name == "Poison").collect();
    assert_eq!(poisoned.len(), 1);
    assert_eq!(poisoned[0].key, "5");
    assert_eq!(failed.len(), 1 + DOCUMENTS / 10);
    let sent = FolderProvider(folder.join("batches")).sent();
    assert!(sent.values().all(|count| *count == 1), "{sent:?}");
    fs::remove_dir_all(folder).unwrap();
}
