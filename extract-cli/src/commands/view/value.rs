//! The value of a document: JSON, or its line among the results of a job.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

use serde_json::{Deserializer, Value};

use super::DocumentArgs;
use crate::{error::Failure, gold_paths::GoldPaths};

/// How many keys are named if none is that of the document.
const MAX_KEYS: usize = 5;

/// Where a line of results has its value.
const VALUE: &str = "/value";

pub(super) fn read(args: &DocumentArgs) -> Result<Value, Failure> {
    let path = args.value.as_deref().filter(|path| path.as_os_str() != "-");
    let name = path.map_or_else(|| "stdin".to_owned(), |path| path.display().to_string());
    let reader = path.map_or_else(|| Ok(Box::new(BufReader::new(io::stdin())) as Box<dyn BufRead>), open);
    let reader =
        reader.map_err(|error| Failure::usage(format!("the value `{name}` cannot be read: {error}")))?;
    let values = Deserializer::from_reader(reader).into_iter::<Value>();
    let mut values = values.map(|value| value.map_err(|error| not_json(&name, &error)));
    let first =
        values.next().unwrap_or_else(|| Err(Failure::usage(format!("the value `{name}` is empty"))))?;
    let of_document = |values: &mut dyn Iterator<Item = Result<Value, Failure>>| {
        let result = DocumentResults { name: &name, document: &args.document }.find(values)?;
        match &args.at {
            Some(pointer) => at(&name, &result, pointer),
            None => result.pointer(VALUE).cloned().ok_or_else(|| without_value(args, &name, &result)),
        }
    };
    match (values.next(), first) {
        (Some(second), first) => of_document(&mut [Ok(first), second].into_iter().chain(values)),
        (None, Value::Array(results)) if args.at.is_none() && are_results(&results) => {
            of_document(&mut results.into_iter().map(Ok))
        }
        (None, value) => at(&name, &value, args.at.as_deref().unwrap_or_default()),
    }
}

fn not_json(name: &str, error: &serde_json::Error) -> Failure {
    Failure::usage(format!("the value `{name}` is not JSON: {error}"))
        .help("`extractable export JOB` prints the results of a job as JSON Lines, whatever its file is")
}

fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    Ok(Box::new(BufReader::new(File::open(path)?)))
}

fn at(name: &str, value: &Value, pointer: &str) -> Result<Value, Failure> {
    value.pointer(pointer).cloned().ok_or_else(|| {
        Failure::usage(format!("the value `{name}` has nothing at `{pointer}`"))
            .help("`--at` takes a JSON Pointer, such as /value")
    })
}

/// Returns whether the items of a list are results of a job, as `run -o FILE.json` writes them.
fn are_results(items: &[Value]) -> bool {
    !items.is_empty() && items.iter().all(|item| key(item).is_some() && item["status"].is_string())
}

fn key(result: &Value) -> Option<&str> {
    result.get("key")?.as_str()
}

/// Several values, one of which is about a document.
struct DocumentResults<'a> {
    name: &'a str,
    document: &'a Path,
}

impl DocumentResults<'_> {
    /// Returns the value whose key is that of the document. One value is held at a time.
    fn find(&self, values: &mut dyn Iterator<Item = Result<Value, Failure>>) -> Result<Value, Failure> {
        let keys = GoldPaths::of(Path::new("")).of_file(self.document);
        let (mut others, mut count) = (Vec::new(), 0);
        for value in values {
            let value = value?;
            count += 1;
            match key(&value) {
                Some(key) if keys.iter().any(|own| own == key) => return Ok(value),
                Some(key) if others.len() < MAX_KEYS => others.push(format!("`{key}`")),
                _ => {}
            }
        }
        let (name, document) = (self.name, self.document.display());
        Err(if others.is_empty() {
            Failure::usage(format!("`{name}` has {count} values, and none says which document it is about"))
                .help("give one of them, for example its line with `sed -n 3p`")
        } else {
            Failure::usage(format!("`{name}` has no result of the document `{document}`")).help(format!(
                "it is found by its key, the path as `run` was given it; among {count} results there is {}",
                others.join(", ")
            ))
        })
    }
}

/// The failure of a document that the job has no value of.
fn without_value(args: &DocumentArgs, name: &str, result: &Value) -> Failure {
    let document = args.document.display();
    let why = result.pointer("/error/message").and_then(Value::as_str).map(|why| format!(": {why}"));
    Failure::usage(format!("`{name}` has no value of the document `{document}`{}", why.unwrap_or_default()))
        .help("`extractable view job`, with the documents of the job, shows the last reply about it")
}
