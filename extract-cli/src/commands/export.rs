//! `extractable export`: exports a journal for other programs.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use extract::bulk::{Journal, JournalError, Outcome as DocumentOutcome};
use serde_json::Value;

use crate::{
    commands::run::line,
    destination,
    error::{Exit, Failure, Outcome},
    journal::{self, JournalArgs},
    output::Escaping,
};

/// Write what a journal holds as JSON Lines, CSV or Parquet
///
/// Also of a job that is not complete.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(flatten)]
    journal: JournalArgs,

    /// What to write
    #[arg(long = "as", value_name = "FORM", value_enum, default_value_t = Form::Results)]
    form: Form,

    /// File to write; - or nothing for the standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace the file also if this program did not write it
    #[arg(long, requires = "out")]
    overwrite: bool,

    /// JSON Schema of the values, for the columns of Parquet
    #[cfg(feature = "parquet")]
    #[arg(short, long, value_name = "FILE", required_if_eq("form", "parquet"))]
    schema: Option<PathBuf>,
}

impl Args {
    fn check(&self, out: &Path) -> Result<(), Failure> {
        let journal = self.journal.path();
        let used = [journal.as_path()].into_iter();
        #[cfg(feature = "parquet")]
        let used = used.chain(self.schema.as_deref());
        destination::check(out, self.overwrite, &used.collect::<Vec<_>>())
    }
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// The lines that `run` writes, in the order of the documents
    Results,
    /// Lines with all that is known: metrics, changes, warnings, every attempt at what failed
    Everything,
    /// Comma-separated values: key, status, error, and a column for each key of the values
    Csv,
    /// The rows that `run` writes to Parquet, in the order of the documents; needs --out
    #[cfg(feature = "parquet")]
    Parquet,
}

/// Maximum columns of the CSV.
const MAX_COLUMNS: usize = 10_000;

pub(crate) fn run(args: &Args) -> Outcome {
    let journal = args.journal.open()?;
    let out = args.out.as_deref().filter(|path| path.as_os_str() != "-");
    if let Some(out) = out {
        args.check(out)?;
    }
    match (args.form, out) {
        (Form::Results, Some(path)) => {
            journal.write_jsonl(path).map_err(|error| journal::failure(&error))?;
        }
        #[cfg(feature = "parquet")]
        (Form::Parquet, path) => parquet(&journal, path, args.schema.as_deref())?,
        (form, Some(path)) => {
            let file = File::create(path).map_err(|error| unwritable(path, &error))?;
            let mut file = Written { to: BufWriter::new(file), error: None };
            write(&journal, form, &mut file).and_then(|()| Ok(file.flush()?)).map_err(
                |failure| match file.error {
                    Some(error) => unwritable(path, &error),
                    None => failure,
                },
            )?;
        }
        (form, None) => {
            let stdout = Escaping::stdout(form != Form::Csv);
            let mut file = Written { to: BufWriter::new(stdout), error: None };
            write(&journal, form, &mut file).and_then(|()| Ok(file.flush()?)).map_err(
                |failure| match file.error {
                    Some(error) => error.into(),
                    None => failure,
                },
            )?;
        }
    }
    Ok(Exit::Success)
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Exit::Storage, format!("`{}` cannot be written: {error}", path.display()))
}

fn write(journal: &Journal, form: Form, to: &mut impl Write) -> Result<(), Failure> {
    let wrong = |error: JournalError| journal::failure(&error);
    match form {
        Form::Results => {
            for outcome in journal.outcomes() {
                writeln!(to, "{}", line::of(&outcome.map_err(wrong)?))?;
            }
        }
        Form::Everything => drop(journal.export(to).map_err(wrong)?),
        Form::Csv => csv(journal, to)?,
        #[cfg(feature = "parquet")]
        Form::Parquet => return Err(Failure::usage(NO_STREAM)),
    }
    Ok(())
}

#[cfg(feature = "parquet")]
const NO_STREAM: &str = "Parquet is not written to the standard output; name a file with --out";

#[cfg(feature = "parquet")]
fn parquet(journal: &Journal, path: Option<&Path>, schema: Option<&Path>) -> Result<(), Failure> {
    let (Some(path), Some(schema)) = (path, schema) else { return Err(Failure::usage(NO_STREAM)) };
    let contract = crate::schema_file::contract(schema)?;
    journal.write_parquet(path, &contract).map(drop).map_err(|error| journal::failure(&error))
}

fn csv(journal: &Journal, to: &mut impl Write) -> Result<(), Failure> {
    let wrong = |error: JournalError| journal::failure(&error);
    let mut columns: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    // The header is only known after all values have been seen.
    for outcome in journal.outcomes() {
        if let Ok(Value::Object(value)) = outcome.map_err(wrong)?.result {
            columns.extend(value.into_iter().map(|(key, _)| key).filter(|key| known.insert(key.clone())));
        }
        if columns.len() > MAX_COLUMNS {
            return Err(Failure::new(
                Exit::NotConforming,
                format!("the values have more than {MAX_COLUMNS} keys"),
            )
            .help("`--as results` writes them as JSON Lines"));
        }
    }
    let is_of_objects = !columns.is_empty();
    if !is_of_objects {
        columns.push("value".to_owned());
    }
    let mut table = csv::Writer::from_writer(to);
    let written = |error: csv::Error| Failure::new(Exit::Storage, error.to_string());
    let header = ["key", "status", "error"].into_iter().chain(columns.iter().map(String::as_str));
    table.write_record(header).map_err(written)?;
    for outcome in journal.outcomes() {
        table.write_record(row(&outcome.map_err(wrong)?, &columns, is_of_objects)).map_err(written)?;
    }
    Ok(table.flush()?)
}

/// The cells of an outcome.
fn row(outcome: &DocumentOutcome, columns: &[String], is_of_objects: bool) -> Vec<String> {
    let status = serde_json::to_value(outcome.status).unwrap_or_default();
    let error = outcome.result.as_ref().err().map(|failure| Value::String(failure.message.clone()));
    let mut cells = vec![outcome.key.clone(), cell(Some(&status)), cell(error.as_ref())];
    let value = outcome.result.as_ref().ok();
    cells.extend(columns.iter().map(|column| match value {
        Some(value) if is_of_objects => cell(value.get(column)),
        value => cell(value),
    }));
    cells
}

/// A value in a cell: strings as they are, nothing for null, lists and objects as JSON.
fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Keeps the original error of a file, which the journal and the table would report in their own
/// words.
struct Written<W> {
    to: W,
    error: Option<io::Error>,
}

impl<W> Written<W> {
    fn kept<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|error| {
            let kind = error.kind();
            self.error.get_or_insert(error);
            kind.into()
        })
    }
}

impl<W: Write> Write for Written<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.to.write(bytes);
        self.kept(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.to.flush();
        self.kept(done)
    }
}
