//! One face for all libraries.

use std::{
    cell::RefCell,
    hint::black_box,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Instant,
};

use extract::{Contract, settings::Leniency};
use serde_json::{Value, json};

/// The value that a library read from a text, and the nanoseconds it took, the best of the given
/// number of runs.
pub(crate) struct Read {
    pub(crate) value: Option<Value>,
    pub(crate) nanoseconds: f64,
}

pub(crate) type Reader = Box<dyn Fn(&str, usize) -> Read>;

/// This project. Everything that is read counts, as it does for the others, which know no receipt.
pub(crate) fn extract(contract: Contract) -> Reader {
    rust(move |text| contract.reader().leniency(Leniency::Lossy).read(text).value)
}

/// The libraries that know no schema, and `baml-py` for a type that is any JSON.
pub(crate) fn peers(python: Option<&str>) -> Vec<(&'static str, Reader)> {
    let mut peers = vec![
        ("jsonrepair", rust(|text| jsonrepair::loads(text, &jsonrepair::Options::default()).ok())),
        ("llm_json", rust(|text| llm_json::loads(text, &llm_json::RepairOptions::default()).ok())),
    ];
    if let Some(python) = python {
        peers.push(("json_repair.py", in_python(python, "json_repair")));
        peers.push(("baml-py", in_python(python, "baml")));
    }
    peers
}

fn rust(read: impl Fn(&str) -> Option<Value> + 'static) -> Reader {
    Box::new(move |text, times| {
        let value = read(text);
        let best = (0..times).map(|_| {
            let started = Instant::now();
            drop(black_box(read(black_box(text))));
            started.elapsed()
        });
        let nanoseconds = best.min().unwrap_or_default().as_secs_f64() * 1e9;
        Read { value, nanoseconds }
    })
}

/// A library from PyPI in a process that answers one question per line.
pub(crate) fn in_python(python: &str, library: &'static str) -> Reader {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bin/reading/peers.py");
    let mut child = Command::new(python)
        .args([script, library])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the interpreter named runs");
    let input = child.stdin.take().expect("it is piped");
    let output = BufReader::new(child.stdout.take().expect("it is piped"));
    let process = RefCell::new(Process { child, input, output });
    Box::new(move |text, times| process.borrow_mut().ask(text, times))
}

struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn ask(&mut self, text: &str, times: usize) -> Read {
        writeln!(self.input, "{}", json!({"text": text, "times": times})).expect("it listens");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        let mut answer: Value = serde_json::from_str(&line).expect("it answers in JSON");
        let nanoseconds = answer["nanoseconds"].as_f64().expect("a number");
        Read { value: answer.get_mut("value").map(Value::take), nanoseconds }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It ends by itself after the last question, so it may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns whether both are the same JSON value; `1.0` and `1` are the same number.
pub(crate) fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let has =
                |(key, left): (&String, &Value)| right.get(key).is_some_and(|right| is_same(left, right));
            left.len() == right.len() && left.iter().all(has)
        }
        _ => left == right,
    }
}
