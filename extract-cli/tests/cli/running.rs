//! Looking at a job while it runs.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    gate::Gate,
    job::{args, gold, lines, place, right, rows, run, shared},
    program::{Ended, GOOD, Place},
    server::{Response, Server},
};

/// A server that answers some questions, one of them wrong, and holds back the others.
fn held_after(answers: u32) -> (Server, std::sync::Arc<Gate>) {
    let (gate, at_server) = shared(Gate::default());
    let count = AtomicU32::new(0);
    let server = Server::new(move |asked| {
        if count.fetch_add(1, Ordering::Relaxed) >= answers {
            at_server.pass();
        }
        let is_wrong = asked.contains("18 days");
        Response::Reply(if is_wrong { "<b>none</b>".to_owned() } else { gold(asked).unwrap() })
    });
    (server, gate)
}

fn kill(child: &Child) {
    assert!(Command::new("kill").args(["-KILL", &child.id().to_string()]).status().unwrap().success());
}

/// Eight replies are about six messages: the second of them has three attempts.
const ANSWERS: u32 = 8;
const KNOWN: usize = 6;

#[test]
fn a_running_job_can_be_looked_at_and_goes_on() {
    let (place, (server, gate)) = (place(), held_after(ANSWERS));
    let child = place
        .command(&args("run", &server, &["-o", "out.jsonl", "-n", "1", "--price", "1,2"]))
        .spawn()
        .unwrap();
    gate.is_met();

    let text = place.run(&["inspect", "out.jsonl"]).code(0).out;
    assert!(text.starts_with("5 done (0 in part), 1 failed; the run has read 8 of 12 documents"), "{text}");
    assert!(text.contains("2 in flight or next; it is in use by process "), "{text}");
    let summary = place.run(&["inspect", "out.jsonl", "--json"]).code(0).json();
    assert_eq!((&summary["is_running"], &summary["running"]["process"]), (&json!(true), &json!(child.id())));
    let failed = place.run(&["inspect", "out.jsonl", "--failed"]).code(0).out;
    assert!(failed.contains("MaxRetriesExceeded"), "{failed}");
    let one = place.run(&["inspect", "out.jsonl", rows()[0]["id"].as_str().unwrap()]).code(0).out;
    assert!(one.contains("1 attempt"), "{one}");

    let exported = place.run(&["export", "out.jsonl"]).code(0);
    let exported = lines(&exported.says("not complete: of 12 documents, 6 have no outcome").out);
    assert_eq!(exported.len(), KNOWN);
    assert_eq!(exported[0]["value"], rows()[0]["gold"]);
    assert_eq!(lines(&place.text("out.jsonl.partial.jsonl")), exported, "in order with one at a time");
    place.run(&["export", "out.jsonl", "-o", "now.csv"]).code(0);
    assert!(place.text("now.csv").starts_with("key,status,error,"));
    place.run(&["view", "job", "out.jsonl", "-o", "now.html"]).code(0);
    assert!(place.text("now.html").contains("MaxRetriesExceeded"));
    let dry = run(&place, &server, &["-o", "out.jsonl", "--dry-run"]).code(0).out;
    assert!(dry.starts_with("12 documents: 6 known"), "{dry}");
    run(&place, &server, &["-o", "out.jsonl"])
        .code(5)
        .says("in use by process")
        .says("look at it with `inspect`");

    gate.open();
    Ended::of(child).code(1).says("12 documents: 11 done, 1 failed");
    assert_eq!(lines(&place.text("out.jsonl"))[..KNOWN], exported);
    assert!(!place.path("out.jsonl.partial.jsonl").exists());
}

#[test]
fn what_is_said_of_a_job_that_was_killed_is_true() {
    let (place, (server, gate)) = (place(), held_after(ANSWERS));
    let child = place.command(&args("run", &server, &["-o", "out.jsonl", "-n", "1"])).spawn().unwrap();
    gate.is_met();
    kill(&child);
    drop(Ended::of(child));
    let text = place.run(&["inspect", "out.jsonl"]).code(0).out;
    assert!(text.starts_with("5 done (0 in part), 1 failed; the last run had 12 documents"), "{text}");
    assert!(text.contains("\nnot complete: 6 of 12 have no outcome\n"), "{text}");
    // One document was asked about, and one may have been read ahead.
    let says = |count| text.contains(&format!("{count} in flight or next when the last run crashed"));
    assert!(says("1 was") || says("2 were"), "{text}");
    assert!(!text.contains("in use"), "{text}");
    let before = std::fs::read(place.path("out.jsonl.journal")).unwrap();
    let exported = place.run(&["export", "out.jsonl", "-o", "now.csv"]).code(0);
    exported.says("not complete: of 12 documents, 6 have no outcome");
    let exported = lines(&place.run(&["export", "out.jsonl"]).code(0).out);
    assert_eq!(std::fs::read(place.path("out.jsonl.journal")).unwrap(), before, "a reader changes nothing");
    assert_eq!(lines(&place.text("out.jsonl.partial.jsonl")), exported);
    gate.open();
    run(&place, &server, &["-o", "out.jsonl"]).code(1).says("6 known before");
    assert_eq!(lines(&place.text("out.jsonl")).len(), 12);
    let summary = place.run(&["inspect", "out.jsonl", "--json"]).code(0).json();
    assert_eq!((&summary["expected"], &summary["missing"]), (&json!(12), &json!(0)));
    assert!(place.run(&["export", "out.jsonl"]).code(0).err.is_empty());
}

#[test]
fn an_export_says_that_a_pipe_was_not_read_to_its_end() {
    let (place, server) = (Place::new(), Server::replying(GOOD));
    let job =
        ["run", "-s", "invoice.json", "-o", "out.jsonl", "-n", "1", "--token-budget", "1", "--as", "lines"];
    place.pipe(&"a\n".repeat(50), &[&job[..], &server.options()[..]].concat()).code(3);
    let ended = place.run(&["export", "out.jsonl"]).code(0);
    ended.says("the job is not complete: of ").says(" read so far, ").says(" have no outcome");
}

#[test]
fn a_job_that_is_stopped_counts_all_documents() {
    let (place, server) = (place(), right());
    let ended = run(&place, &server, &["-o", "out.jsonl", "-n", "1", "--token-budget", "300"]).code(3);
    let done = lines(&place.text("out.jsonl.partial.jsonl")).len();
    let ended = ended.says(&format!("({} of 12 have none)", 12 - done)).says("of 12 documents: ");
    assert!(ended.err.contains("`out.jsonl.partial.jsonl` has the others"), "{}", ended.err);
    let report = run(&place, &server, &["-o", "out.jsonl", "-n", "1", "--token-budget", "300", "--json"]);
    assert_eq!(report.code(3).json()["expected"], 12);
}

#[test]
fn the_total_is_known_for_rows_and_lines() {
    let (place, server) = (Place::new(), Server::replying(GOOD));
    place.write("t.csv", "text,n\n\"a\nb\",1\nc,2\n\n");
    place.write("t.jsonl", "{\"text\": \"a\"}\n\n{\"text\": \"b\"}\n");
    place.write("t.txt", "one file");
    let job = ["run", "-s", "invoice.json", "-o", "out.jsonl", "-n", "1", "--token-budget", "1", "--json"];
    let run = |inputs: &[&str]| {
        let _ = std::fs::remove_file(place.path("out.jsonl.journal"));
        place.pipe(&"a\n".repeat(50), &[&job[..], &server.options()[..], inputs].concat()).json()["expected"]
            .clone()
    };
    assert_eq!(run(&["t.csv", "t.jsonl", "t.txt"]), 5);
    // A pipe is read once.
    assert_eq!(run(&["--as", "lines", "t.txt", "-"]), Value::Null);
}

#[test]
fn a_partial_output_is_no_document_and_is_not_written_over_others() {
    let (place, server) = (Place::new(), Server::replying(GOOD));
    place.write("in/a.txt", "a");
    place.write("in/out.jsonl.partial.jsonl", "mine");
    let run = |options: &[&str]| {
        let job = ["run", "-s", "invoice.json", "in", "-o", "in/out.jsonl"];
        place.run(&[&job[..], &server.options()[..], options].concat())
    };
    run(&["--skip-unreadable"]).code(2);
    assert_eq!(place.text("in/out.jsonl.partial.jsonl"), "mine");
    place.write("in/out.jsonl.partial.jsonl", "");
    run(&[]).code(0).says("1 document: 1 done");
}

#[test]
fn a_copy_that_cannot_be_made_says_nothing_of_the_journal() {
    let (place, server) = (place(), right());
    run(&place, &server, &["-o", "out.jsonl"]).code(0);
    let mut command = place.command(&["inspect", "out.jsonl"]);
    let ended = Ended::of(command.env("TMPDIR", place.path("none")).spawn().unwrap()).code(5);
    ended.says("no file for a copy in");
    let script = "ulimit -f 100; trap '' XFSZ; exec \"$0\" \"$@\"";
    let mut limited = Command::new("sh");
    limited.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_extractable")).args(["inspect", "out.jsonl"]);
    limited.current_dir(place.path(".")).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ended::of(limited.spawn().unwrap()).code(5).says("no space is left for a copy of it in");
    place.run(&["inspect", "out.jsonl"]).code(0);
}

/// Sends bytes to the server of a page, and returns its answer.
fn sent(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn got(address: &str, path: &str) -> String {
    sent(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n"))
}

/// Waits for the line with the address of the page.
fn address(child: &mut Child) -> (String, BufReader<std::process::ChildStderr>) {
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    loop {
        line.clear();
        assert_ne!(err.read_line(&mut line).unwrap(), 0, "the program has ended");
        if let Some((_, url)) = line.split_once("http://") {
            return (url.trim().trim_end_matches('/').to_owned(), err);
        }
    }
}

#[test]
fn a_page_shows_the_progress_and_the_failures() {
    let (place, (server, gate)) = (place(), held_after(ANSWERS));
    let options = ["-o", "out.jsonl", "-n", "1", "--price", "1,2", "--status", "127.0.0.1:0", "-q"];
    let mut child = place.command(&args("run", &server, &options)).spawn().unwrap();
    let (address, _err) = address(&mut child);
    gate.is_met();
    let end = Instant::now() + Duration::from_secs(30);
    let state = loop {
        let answer = got(&address, "/status.json");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/json"), "{head}");
        let state: Value = serde_json::from_str(body).unwrap();
        if state["done"] == 5 && state["failed"] == 1 {
            break state;
        }
        assert!(Instant::now() < end, "{state}");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(
        (&state["documents"], &state["ended"], &state["in_flight"]),
        (&json!(12), &json!(null), &json!(1))
    );
    assert_eq!((&state["tokens_in"], &state["tokens_out"]), (&json!(800), &json!(160)));
    assert!(state["cost"].as_f64().is_some_and(|cost| cost > 0.0), "{state}");
    assert_eq!(state["failures"][0]["name"], "MaxRetriesExceeded");
    let html = got(&address, "/");
    assert!(
        html.contains("restaurant8k/2944") && html.contains("&lt;b&gt;none") && !html.contains("<b>none"),
        "{html}"
    );

    let port = address.rsplit_once(':').unwrap().1;
    for (request, status) in [
        (format!("POST / HTTP/1.1\r\nHost: {address}\r\n\r\n"), "405"),
        (format!("GET / HTTP/1.1\r\nHost: attacker.example:{port}\r\n\r\n"), "421"),
        (format!("GET / HTTP/1.1\r\nHost: {address}\r\nOrigin: http://attacker.example\r\n\r\n"), "403"),
        (format!("GET /out.jsonl HTTP/1.1\r\nHost: {address}\r\n\r\n"), "404"),
        ("GET / HTTP/1.1\r\n\r\n".to_owned(), "400"),
        (format!("GET /{} HTTP/1.1\r\nHost: {address}\r\n\r\n", "a".repeat(20_000)), "400"),
        ("\u{0}\r\n\r\n".to_owned(), "400"),
    ] {
        let answer = sent(&address, &request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {answer}");
    }

    gate.open();
    // A page that is open sees the end, and then the server is gone.
    let last = loop {
        let answer = got(&address, "/status.json");
        let state: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
        if !state["ended"].is_null() {
            break state;
        }
        assert!(Instant::now() < end, "{state}");
    };
    assert_eq!((&last["ended"], &last["done"], &last["failed"]), (&json!("complete"), &json!(11), &json!(1)));
    Ended::of(child).code(1);
    assert!(TcpStream::connect(&address).is_err());
}

#[test]
fn a_page_says_why_the_job_is_waiting() {
    for (status, says) in [
        (429, "waiting, as the agent asks for it: rate limited"),
        (503, "waiting for the agent, which cannot be reached: "),
    ] {
        let (place, server) = (place(), Server::new(move |_| Response::Status(status)));
        let mut child = place.command(&args("run", &server, &["--status", "127.0.0.1:0"])).spawn().unwrap();
        let (address, _err) = address(&mut child);
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let answer = got(&address, "/status.json");
            let state: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
            let text = state["state"].as_str().unwrap();
            if text.starts_with(says) && text.contains("; the next request in ") {
                assert!(text.contains(&status.to_string()), "{text}");
                assert!(got(&address, "/").contains(says));
                break;
            }
            assert!(Instant::now() < end, "{state}");
            std::thread::sleep(Duration::from_millis(20));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn a_page_is_for_this_machine_only() {
    let (place, server) = (place(), right());
    for address in ["0.0.0.0:0", "192.168.1.1:80"] {
        run(&place, &server, &["--status", address]).code(2).says("for this machine only");
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    run(&place, &server, &["--status", &address])
        .code(5)
        .says("no page can be served at")
        .says("127.0.0.1:0");
    assert!(server.asked().is_empty());
}

#[cfg(unix)]
#[test]
fn a_standard_input_that_is_a_file_is_counted_and_read_from_where_it_is() {
    let place = Place::new();
    place.write("reply", GOOD);
    for (format, text, read) in [
        ("jsonl", "{\"text\": \"a\"}\n{\"text\": \"b\"}\n", 0),
        ("csv", "text\na\nb\n", 0),
        // A program before this one has read a line.
        ("lines", "none\na\nb\n", 5),
    ] {
        place.write("docs", text);
        let run = |options: &[&str]| {
            let mut docs = File::open(place.path("docs")).unwrap();
            docs.seek(SeekFrom::Start(read)).unwrap();
            let job =
                ["run", "-s", "invoice.json", "--command", "sh -c 'cat > asked; cat reply'", "--as", format];
            Ended::of(place.command(&job).args(options).stdin(docs).spawn().unwrap())
        };
        assert_eq!(run(&[]).code(0).out.lines().count(), 2, "{format}");
        let stopped = run(&["-o", "out.jsonl", "-n", "1", "--token-budget", "1", "--json"]).code(3);
        assert_eq!(stopped.json()["expected"], 2, "{format}");
        std::fs::remove_file(place.path("out.jsonl.journal")).unwrap();
    }
}
