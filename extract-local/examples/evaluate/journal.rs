//! The journal: every attempt as a line of JSON, including those of earlier runs.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{self, BufRead as _, BufReader, Write as _},
    path::Path,
};

use extract::AttemptRecord;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{cell::Cell, documents::Document, gold::Score};

/// The result of one document in one cell.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) cell: String,
    pub(crate) file: String,
    pub(crate) document: String,
    pub(crate) attempts: u32,
    pub(crate) is_conforming: bool,
    pub(crate) score: Score,
    pub(crate) value: Option<Value>,
    pub(crate) stalls: usize,
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) seconds: f64,
    pub(crate) error: Option<String>,
    /// The first question as one string.
    pub(crate) question: Option<String>,
}

/// The fields of a line that are read again. An incomplete line, where a run was killed, is
/// skipped.
#[derive(Deserialize)]
struct Line {
    outcome: Option<Outcome>,
}

pub(crate) struct Journal {
    file: Option<File>,
    known: HashMap<(String, String), Outcome>,
}

impl Journal {
    /// Reads the journal and opens it for appending. Without a path nothing is kept.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, String> {
        let Some(path) = path else { return Ok(Self { file: None, known: HashMap::new() }) };
        let open = || -> io::Result<Self> {
            let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
            let mut known = HashMap::new();
            let mut is_whole = true;
            for line in BufReader::new(&file).split(b'\n') {
                let line = serde_json::from_slice::<Line>(&line?);
                is_whole = line.is_ok();
                if let Some(outcome) = line.ok().and_then(|line| line.outcome) {
                    known.insert((outcome.cell.clone(), outcome.document.clone()), outcome);
                }
            }
            if !is_whole {
                writeln!(file)?;
            }
            Ok(Self { file: Some(file), known })
        };
        open().map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The result of an earlier run.
    pub(crate) fn take_known(&mut self, cell: &Cell, document: &Document) -> Option<Outcome> {
        let mut known = self.known.remove(&(cell.to_string(), document.id.clone()))?;
        // Counted again, because the comparison may have changed.
        known.score = Score::of(document, known.value.as_ref());
        Some(known)
    }

    pub(crate) fn attempt(
        &mut self,
        cell: &Cell,
        document: &Document,
        record: &AttemptRecord,
    ) -> io::Result<()> {
        self.write(&json!({"cell": cell.to_string(), "document": document.id, "attempt": record}))
    }

    pub(crate) fn outcome(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.write(&json!({"outcome": outcome}))
    }

    fn write(&mut self, line: &Value) -> io::Result<()> {
        match &mut self.file {
            Some(file) => file.write_all(format!("{line}\n").as_bytes()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(id: &str) -> Document {
        serde_json::from_value(
            json!({"id": id, "text": "", "instruction": "", "json_schema": {}, "gold": {"a": 1}}),
        )
        .unwrap()
    }

    fn outcome(id: &str) -> Outcome {
        Outcome {
            cell: Cell::default().to_string(),
            file: String::new(),
            document: id.to_owned(),
            attempts: 1,
            is_conforming: true,
            score: Score::default(),
            value: Some(json!({"a": 1})),
            stalls: 0,
            input_tokens: 1,
            output_tokens: 1,
            seconds: 0.5,
            error: None,
            question: None,
        }
    }

    #[test]
    fn an_interrupted_run_goes_on_where_it_was() {
        let path = std::env::temp_dir().join(format!("extract-evaluate-{}.jsonl", std::process::id()));
        let mut journal = Journal::open(Some(&path)).unwrap();
        journal.outcome(&outcome("first")).unwrap();
        // As if killed in the middle of a line.
        let file = journal.file.as_mut().unwrap();
        file.write_all(b"{\"outcome\":{\"cell\":\"json\",\"docu").unwrap();
        let mut journal = Journal::open(Some(&path)).unwrap();
        journal.outcome(&outcome("third")).unwrap();
        let mut journal = Journal::open(Some(&path)).unwrap();
        std::fs::remove_file(&path).unwrap();
        let known = |journal: &mut Journal, id| journal.take_known(&Cell::default(), &document(id));
        let first = known(&mut journal, "first").unwrap();
        assert_eq!(first.score, Score { stated: 1, right_stated: 1, absent: 0, right_absent: 0 });
        assert!(known(&mut journal, "second").is_none() && known(&mut journal, "third").is_some());
    }
}
