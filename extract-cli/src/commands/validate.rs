//! `extractable validate`: checks values against the schema.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use extract::{Code, Contract, Violation, document::Document};
use serde_json::{Value, json};

use crate::{
    error::{Exit, Failure, Outcome},
    input,
    lost_parts::LostParts,
    output::{self, Style},
    schema_file::SchemaArgs,
};

/// Check values against the schema
///
/// Values are checked as they are, without repairing anything. Every violation is a line of the
/// output. A file that ends in .jsonl or .ndjson has a value on every line.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    schema: SchemaArgs,

    /// Files with JSON; - or nothing for the standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Every input has a value on every line, whatever its ending
    #[arg(long)]
    lines: bool,

    /// Part of each value to check, as a JSON Pointer: /value for the output of `run`
    #[arg(long, value_name = "POINTER", default_value = "")]
    at: String,

    /// Document in which quotes in the values have to be, word for word
    #[arg(long, value_name = "FILE")]
    document: Option<PathBuf>,
}

/// Counts of checked and rejected values.
#[derive(Default)]
struct ValidationTally {
    values: u64,
    rejected: u64,
}

pub(crate) fn run(args: &ValidateArgs, style: Style) -> Outcome {
    if !args.at.is_empty() && !args.at.starts_with('/') {
        return Err(Failure::usage(format!("`--at {}` is no JSON Pointer", args.at))
            .help("a pointer starts with a slash, such as /value"));
    }
    let document = args.document.as_deref().map(input::document).transpose()?;
    let contract = args.schema.contract()?.document(&document.unwrap_or_else(|| Document::from_text("")));
    let stdin = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &stdin[..] } else { &args.files };
    let mut tally = ValidationTally::default();
    for file in files {
        let (name, text) = text_of(file)?;
        if args.lines || has_lines(file) {
            for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                tally.check(&contract, &format!("{name}:{}", number + 1), line, args, style)?;
            }
        } else {
            tally.check(&contract, &name, &text, args, style)?;
        }
    }
    if !style.is_json {
        let values = output::counted(tally.values, "value");
        style.note(match (tally.values, tally.rejected) {
            (0, _) => "no values, so nothing was checked".to_owned(),
            (_, 0) => format!("{values}, all accepted"),
            (_, rejected) => format!("{values}, {rejected} rejected"),
        });
    }
    Ok(Exit::of(tally.rejected == 0))
}

impl ValidationTally {
    fn check(
        &mut self,
        contract: &Contract,
        place: &str,
        text: &str,
        args: &ValidateArgs,
        style: Style,
    ) -> Result<(), Failure> {
        let violations = violations(contract, text, &args.at);
        let is_accepted = violations.iter().all(Violation::is_warning);
        self.values += 1;
        self.rejected += u64::from(!is_accepted);
        if style.is_json {
            return output::compact(
                &json!({"place": place, "accepted": is_accepted, "violations": violations}),
            );
        }
        violations
            .iter()
            .try_for_each(|violation| output::line(&format!("{place}: {}", output::violation(violation))))
    }
}

fn violations(contract: &Contract, text: &str, at: &str) -> Vec<Violation> {
    let text = text.trim_start_matches('\u{feff}');
    let violation = |message: String| {
        vec![Violation::new(extract::Path::root(), Code::NotJson, message).expected("strict JSON")]
    };
    match serde_json::from_str::<Value>(text) {
        Err(error) if text.contains('\n') => violation(error.to_string()),
        Err(error) => violation(output::without_line(&error)),
        Ok(value) => match value.pointer(at) {
            Some(part) => repeated(text, at, part).chain(contract.validate(part)).collect(),
            None => violation(format!("there is nothing at {at}")),
        },
    }
}

/// A violation for each key that an object has twice: a value has only the last of them.
fn repeated(text: &str, at: &str, part: &Value) -> impl Iterator<Item = Violation> {
    LostParts::of(text).repeated.into_iter().filter_map(move |path| {
        let path = extract::Path::from_pointer_in(path.to_pointer().strip_prefix(at)?, part).ok()?;
        Some(
            Violation::new(path, Code::InvalidValue, "the same key with two values")
                .expected("every key once"),
        )
    })
}

fn text_of(file: &Path) -> Result<(String, String), Failure> {
    let mut text = String::new();
    let (name, read) = if file.as_os_str() == "-" {
        ("stdin".to_owned(), io::stdin().read_to_string(&mut text).map(|_| text))
    } else {
        (file.display().to_string(), fs::read_to_string(file))
    };
    match read {
        Ok(text) => Ok((name, text)),
        Err(error) => Err(Failure::usage(format!("`{name}` cannot be read: {error}"))),
    }
}

fn has_lines(file: &Path) -> bool {
    let ending = file.extension().unwrap_or_default().to_ascii_lowercase();
    ending == "jsonl" || ending == "ndjson"
}
