//! Worked examples from a file.

use std::path::Path;

use extract::{Contract, Extraction, Violation};
use extract_gold::{GoldDocument, GoldSet, GoldShots as _, ShotChoice};
use serde_json::Value;

use crate::{error::Failure, gold};

/// Texts with the right answers to them, and which of them are shown.
pub(crate) struct Shots {
    documents: GoldSet,
    choice: ShotChoice,
}

impl Shots {
    /// Reads a file. A wrong answer is an error, because a model would copy its mistake.
    pub(crate) fn read(path: &Path, choice: ShotChoice, contract: &Contract) -> Result<Self, Failure> {
        let documents = gold::read(path)
            .map_err(|error| Failure::usage(format!("the shots cannot be read: {error}")).help(FORM))?;
        if documents.is_empty() {
            return Err(Failure::usage(format!("the file `{}` has no shots", path.display())).help(FORM));
        }
        documents.documents().iter().try_for_each(|shot| check(shot, path, contract))?;
        Ok(Self { documents, choice })
    }

    /// Adds the shots to an extraction.
    pub(crate) fn add_to<'a, C>(&'a self, extraction: Extraction<'a, Value, C>) -> Extraction<'a, Value, C> {
        extraction.shots_from(&self.documents, self.choice)
    }
}

const FORM: &str = r#"each line is a shot: {"text": "the text of a document", "value": the right answer}"#;

fn check(shot: &GoldDocument, path: &Path, contract: &Contract) -> Result<(), Failure> {
    let wrong: Vec<String> = shot.violations(contract).iter().map(Violation::to_string).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let name: String = shot.identity().chars().take(MAX_NAME_CHARS).collect();
    Err(Failure::usage(format!(
        "{}: the shot {name:?} is not a right answer: {}",
        path.display(),
        wrong.join("; ")
    ))
    .help("the value of a shot has to conform to the schema, because a model copies its mistakes"))
}

/// Most characters of a document's name in a message; it may be the whole text.
const MAX_NAME_CHARS: usize = 60;
