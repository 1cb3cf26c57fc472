//! Worked examples from a file.

use std::{fs, path::Path};

use extract::{Contract, Violation, document::Document};
use serde::Deserialize;
use serde_json::Value;

use crate::error::Failure;

/// A text with the right answer to it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shot {
    pub(crate) text: String,
    pub(crate) value: Value,
}

/// Reads the lines of a file. A wrong answer is an error, because a model would copy its mistake.
pub(crate) fn read(path: &Path, contract: &Contract) -> Result<Vec<Shot>, Failure> {
    let shown = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("the shots `{shown}` cannot be read: {error}")))?;
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let shots: Vec<_> = lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| shot(&format!("{shown}:{}", index + 1), line, contract))
        .collect::<Result<_, _>>()?;
    if shots.is_empty() {
        return Err(Failure::usage(format!("the file `{shown}` has no shots")).help(FORM));
    }
    Ok(shots)
}

const FORM: &str = r#"each line is a shot: {"text": "the text of a document", "value": the right answer}"#;

fn shot(place: &str, line: &str, contract: &Contract) -> Result<Shot, Failure> {
    let shot: Shot = serde_json::from_str(line)
        .map_err(|error| Failure::usage(format!("{place}: not a shot: {error}")).help(FORM))?;
    let violations =
        contract.clone().document(&Document::from_text(shot.text.as_str())).validate(&shot.value);
    let wrong: Vec<String> =
        violations.iter().filter(|violation| !violation.is_warning()).map(Violation::to_string).collect();
    if wrong.is_empty() {
        return Ok(shot);
    }
    Err(Failure::usage(format!("{place}: not a right answer: {}", wrong.join("; ")))
        .help("the value of a shot has to conform to the schema, because a model copies its mistakes"))
}
