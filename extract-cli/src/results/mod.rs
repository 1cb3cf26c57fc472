//! Results of a job in their forms, derived from its journal.

mod form;
mod markdown;
mod node;
mod schema_columns;
mod table;
#[cfg(test)]
mod tests;

use std::{
    io::{self, Write},
    path::Path,
};

use extract::Contract;
use extract_bulk::{Journal, JournalError, OutputFile};

use self::table::{MAX_COLUMNS, ResultColumns};
pub(crate) use self::{form::Form, table::ColumnArgs};
use crate::{
    error::{Exit, Failure},
    journal,
};

/// How results are written.
#[derive(Clone, Copy)]
pub(crate) struct ResultsLayout<'c> {
    pub(crate) form: Form,
    /// The contract of the values, if it is known.
    pub(crate) contract: Option<&'c Contract>,
    pub(crate) columns: ColumnArgs,
}

/// Writes the results to a file, which is either complete or not there.
#[cfg_attr(not(feature = "parquet"), expect(clippy::needless_pass_by_value, reason = "Parquet changes it"))]
pub(crate) fn to_file(journal: Journal, layout: ResultsLayout<'_>, path: &Path) -> Result<(), Failure> {
    let wrong = |error: JournalError| journal::failure(&error);
    match (layout.form, layout.contract) {
        (Form::Jsonl, _) => journal.write_jsonl(path).map(drop).map_err(wrong),
        #[cfg(feature = "parquet")]
        (Form::Parquet, Some(contract)) => {
            let has_confidence = layout.columns.have_confidence();
            let journal = if has_confidence { journal.with_confidence_columns() } else { journal };
            journal.write_parquet(path, contract).map(drop).map_err(wrong)
        }
        (Form::Parquet, _) => Err(no_schema()),
        _ => {
            let unwritable = |error: io::Error| {
                Failure::new(Exit::Storage, format!("`{}` cannot be written: {error}", path.display()))
            };
            let mut file = OutputFile::create(path).map_err(unwritable)?;
            to_stream(&journal, layout, &mut file, unwritable)?;
            file.finish().map_err(unwritable)
        }
    }
}

/// Writes the results to a stream, whose errors are reported by `unwritable`.
pub(crate) fn to_stream(
    journal: &Journal,
    layout: ResultsLayout<'_>,
    to: &mut impl Write,
    unwritable: impl Fn(io::Error) -> Failure,
) -> Result<(), Failure> {
    let mut to = ResultsStream { to, error: None };
    let written = match layout.form {
        Form::Jsonl => lines(journal, &mut to),
        Form::Json => array(journal, &mut to),
        Form::Everything => journal.export(&mut to).map(drop).map_err(Trouble::from),
        Form::Csv | Form::Md => table(journal, layout, &mut to),
        Form::Parquet => return Err(Failure::usage(NO_STREAM)),
    };
    let written = written.and_then(|()| Ok(to.flush()?));
    match (written, to.error) {
        (Ok(()), _) => Ok(()),
        (_, Some(error)) | (Err(Trouble::Io(error)), None) => Err(unwritable(error)),
        (Err(Trouble::Journal(error)), None) => Err(journal::failure(&error)),
        (Err(Trouble::TooManyColumns), None) => {
            Err(Failure::new(Exit::NotConforming, format!("the values have more than {MAX_COLUMNS} leaves"))
                .help("`--schema` makes one column of each object whose keys it does not name; JSON Lines have no columns"))
        }
    }
}

const NO_STREAM: &str = "Parquet is not written to the standard output; name a file with --out";

fn no_schema() -> Failure {
    Failure::usage("the columns of Parquet need the schema of the values").help("give it with --schema")
}

/// Why results could not be written.
enum Trouble {
    Journal(JournalError),
    Io(io::Error),
    TooManyColumns,
}

impl From<JournalError> for Trouble {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<serde_json::Error> for Trouble {
    fn from(error: serde_json::Error) -> Self {
        Self::Io(error.into())
    }
}

impl From<csv::Error> for Trouble {
    fn from(error: csv::Error) -> Self {
        Self::Io(error.into())
    }
}

fn lines(journal: &Journal, to: &mut impl Write) -> Result<(), Trouble> {
    for outcome in journal.outcomes() {
        writeln!(to, "{}", outcome?.to_line()?)?;
    }
    Ok(())
}

/// The lines as an array, still one on each line.
fn array(journal: &Journal, to: &mut impl Write) -> Result<(), Trouble> {
    let mut before = "[\n";
    for outcome in journal.outcomes() {
        write!(to, "{before}{}", outcome?.to_line()?)?;
        before = ",\n";
    }
    Ok(to.write_all(if before == ",\n" { b"\n]\n" } else { b"[]\n" })?)
}

fn table(journal: &Journal, layout: ResultsLayout<'_>, to: &mut impl Write) -> Result<(), Trouble> {
    let schema = layout.contract.map(Contract::schema);
    let columns = ResultColumns::of(journal, schema, layout.columns)?.ok_or(Trouble::TooManyColumns)?;
    let names = columns.names();
    if layout.form == Form::Md {
        markdown::header(to, &names)?;
        for outcome in journal.outcomes() {
            markdown::row(to, &columns.row(&outcome?))?;
        }
        return Ok(());
    }
    let mut rows = csv::Writer::from_writer(to);
    rows.write_record(&names)?;
    for outcome in journal.outcomes() {
        rows.write_record(columns.row(&outcome?))?;
    }
    Ok(rows.flush()?)
}

/// Keeps the original error of a stream, which the journal and the table would report in their own
/// words.
struct ResultsStream<'w, W> {
    to: &'w mut W,
    error: Option<io::Error>,
}

impl<W> ResultsStream<'_, W> {
    fn kept<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|error| {
            let kind = error.kind();
            self.error.get_or_insert(error);
            kind.into()
        })
    }
}

impl<W: Write> Write for ResultsStream<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.to.write(bytes);
        self.kept(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.to.flush();
        self.kept(done)
    }
}
