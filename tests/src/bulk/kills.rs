//! Jobs in a separate process, which is killed.
#![cfg(unix)]

use std::{
    fs::{self, File},
    io::Write as _,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use extract::agent::{Agent, AgentError, Reply, ReplyFuture, Request};
use extract::testing::block_on;
use extract_bulk::{ContractBulkExt as _, Doc, Journal, JournalError, Report};
use futures_timer::Delay;

use super::{Folder, integers, lines};

const FOLDER: &str = "EXTRACT_BULK_FOLDER";
const MODE: &str = "EXTRACT_BULK_MODE";

const CONCURRENT: usize = 8;

/// Returns how many questions a document needs: some need a second attempt, some never get an
/// answer.
fn attempts(number: usize) -> usize {
    match number % 10 {
        3 => 2,
        7 => 3,
        _ => 1,
    }
}

/// An agent that records each request in a file, which outlives the process.
struct Recording {
    calls: File,
    mode: String,
}

impl Recording {
    fn reply(&self, text: &str) -> String {
        let name = text.split_once('<').and_then(|(_, rest)| rest.split_once('>')).unwrap().0;
        writeln!(&self.calls, "{name}").unwrap();
        if self.mode == "poison" && name == "5" {
            std::process::abort();
        }
        let number: usize = name.parse().unwrap();
        let is_second = text.contains("Attempt 2 of 3");
        match attempts(number) {
            2 if !is_second => "not yet".to_owned(),
            3 => "never".to_owned(),
            _ => name.to_owned(),
        }
    }
}

impl Agent for Recording {
    fn respond<'a>(&'a self, request: &'a Request) -> ReplyFuture<'a> {
        Box::pin(async move {
            let text = self.reply(&request.conversation.to_text());
            if self.mode == "hold" {
                std::future::pending::<()>().await;
            }
            if self.mode != "full" {
                Delay::new(Duration::from_millis(1)).await;
            }
            Ok::<_, AgentError>(Reply::new(text))
        })
    }
}

fn documents(count: usize, mode: &str) -> impl Iterator<Item = Doc> + Send + use<> {
    let meta = if mode == "full" { "x".repeat(4_000) } else { String::new() };
    (0..count).map(move |number| Doc::new(format!("{number}"), format!("<{number}>")).meta(meta.clone()))
}

fn run(folder: &Path, mode: &str) -> Result<Report, extract_bulk::BulkError> {
    let calls = File::options().append(true).create(true).open(folder.join("calls")).unwrap();
    let agent = Recording { calls, mode: mode.to_owned() };
    let count = match mode {
        "poison" | "hold" => 40,
        _ => 600,
    };
    let job = integers()
        .bulk(&agent, documents(count, mode))
        .concurrent(CONCURRENT)
        .journal(folder.join("j.redb"))
        .into_jsonl(folder.join("o.jsonl"));
    // A random kill is not a crash caused by a document.
    let job = if mode == "poison" { job } else { job.poison_after(0) };
    block_on(job)
}

/// The job, in the process that the other tests start.
#[test]
#[ignore = "started by the other tests"]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    if let Err(error) = run(Path::new(&folder), &std::env::var(MODE).unwrap()) {
        fs::write(Path::new(&folder).join("error"), error.to_string()).unwrap();
        std::process::exit(3);
    }
}

fn command(folder: &Path, mode: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "bulk::kills::child", "--ignored", "--nocapture"]);
    set(&mut command, folder, mode);
    command
}

fn set(command: &mut Command, folder: &Path, mode: &str) {
    command.env(FOLDER, folder).env(MODE, mode).stdout(Stdio::null()).stderr(Stdio::null());
}

fn calls(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("calls")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn bytes_of_calls(folder: &Path) -> u64 {
    fs::metadata(folder.join("calls")).map_or(0, |file| file.len())
}

/// Waits until the calls of the child take at least `bytes`, or the child has ended. Returns
/// whether it was the former.
fn wait_for_calls(child: &mut Child, folder: &Path, bytes: u64) -> bool {
    loop {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        if bytes_of_calls(folder) >= bytes {
            return true;
        }
        thread::sleep(Duration::from_micros(200));
    }
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

#[test]
fn a_job_that_is_killed_at_a_hundred_points_has_the_output_of_one_that_is_not() {
    let whole = Folder::new();
    let report = run(&whole.0, "").unwrap();
    let once: usize = (0..600).map(attempts).sum();
    assert_eq!((report.done, report.failed, calls(&whole.0).len()), (540, 60, once));
    let expected = fs::read(whole.file("o.jsonl")).unwrap();

    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut kills = 0;
    while kills < 100 {
        // Start over if the job finishes first.
        let folder = Folder::new();
        let mut kills_here = 0;
        loop {
            let after = bytes_of_calls(&folder.0) + random.below(60);
            let mut child = command(&folder.0, "").spawn().unwrap();
            let is_running = kills < 100 && wait_for_calls(&mut child, &folder.0, after);
            if !is_running {
                assert!(child.wait().unwrap().success(), "{:?}", fs::read_to_string(folder.file("error")));
                break;
            }
            // At a random point of a commit.
            thread::sleep(Duration::from_micros(random.below(4_000)));
            child.kill().unwrap();
            child.wait().unwrap();
            (kills, kills_here) = (kills + 1, kills_here + 1);
        }
        assert_eq!(fs::read(folder.file("o.jsonl")).unwrap(), expected, "after {kills_here} kills");
        let most = once + kills_here * CONCURRENT;
        let made = calls(&folder.0).len();
        assert!(made <= most, "{made} calls for {once} after {kills_here} kills");
        let again = run(&folder.0, "").unwrap();
        assert_eq!((again.calls, again.done, again.failed), (0, 540, 60));
    }
}

#[test]
fn a_document_that_crashes_three_runs_among_few_is_given_up_and_no_other() {
    let folder = Folder::new();
    let mut crashes = 0;
    while !command(&folder.0, "poison").status().unwrap().success() {
        assert!(!folder.file("error").exists(), "{:?}", fs::read_to_string(folder.file("error")));
        crashes += 1;
        assert!(crashes < 10, "it crashes each run");
    }
    // The first crash was among eight.
    assert_eq!(crashes, 4);
    let all = lines(&folder.file("o.jsonl"));
    let failed: Vec<_> =
        all.iter().filter(|line| line["error"]["name"] == "Poison").map(|line| line["key"].clone()).collect();
    assert_eq!(failed, ["5"]);
    assert!(all[5]["error"]["message"].as_str().unwrap().contains("3 runs that crashed"));
    assert_eq!(all.iter().filter(|line| line["status"] == "done").count(), 40 - 1 - 4);
    let summary = Journal::open(folder.file("j.redb")).unwrap().inspect().unwrap();
    assert_eq!((summary.runs, summary.crashed_runs, summary.failures["Poison"]), (5, 4, 1));
}

#[test]
fn a_journal_of_another_process_is_refused_with_its_number() {
    let folder = Folder::new();
    let mut child = command(&folder.0, "hold").spawn().unwrap();
    // Two bytes for each call: only then does the journal have all calls in flight.
    assert!(wait_for_calls(&mut child, &folder.0, 2 * CONCURRENT as u64));
    let error = Journal::open(folder.file("j.redb")).unwrap_err();
    let JournalError::Held { by: Some(holder), .. } = &error else { panic!("{error}") };
    assert_eq!(holder.process, child.id());
    child.kill().unwrap();
    child.wait().unwrap();
    let summary = Journal::open(folder.file("j.redb")).unwrap().inspect().unwrap();
    assert!(summary.in_flight >= CONCURRENT as u64, "{summary:?}");
}

#[test]
fn a_full_disk_ends_the_job_and_loses_nothing_that_was_committed() {
    let folder = Folder::new();
    // A limit on the file size simulates a full disk; its signal is ignored.
    let script =
        r#"trap '' XFSZ; ulimit -f 5000; exec "$0" --exact bulk::kills::child --ignored --nocapture"#;
    let mut limited = Command::new("sh");
    limited.arg("-c").arg(script).arg(std::env::current_exe().unwrap());
    set(&mut limited, &folder.0, "full");
    assert_eq!(limited.status().unwrap().code(), Some(3));
    let error = fs::read_to_string(folder.file("error")).unwrap();
    assert!(error.contains("no space is left"), "{error}");
    let committed = Journal::open(folder.file("j.redb")).unwrap().inspect().unwrap();
    assert!(committed.done > 100 && committed.done < 540, "{committed:?}");
    let made = calls(&folder.0).len();

    let report = run(&folder.0, "full").unwrap();
    assert_eq!((report.done, report.failed), (540, 60));
    assert_eq!(report.resumed, committed.done + committed.failed);
    let once: usize = (0..600).map(attempts).sum();
    let all = calls(&folder.0).len();
    assert!(made < once && all <= once + CONCURRENT, "{made} and {all} calls for {once}");
}
