//! `extractable export`: exports a journal for other programs.

use std::{
    io::{self, BufWriter},
    path::{Path, PathBuf},
};

use extract::Contract;

use crate::{
    destination,
    error::{Exit, Failure, Outcome},
    journal::{self, JournalArgs},
    output::Escaping,
    results::{self, ColumnArgs, Form, ResultsLayout},
    schema_file,
};

/// Write what a journal holds as JSON Lines, JSON, CSV, Markdown or Parquet
///
/// Also of a job that is not complete.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    journal: JournalArgs,

    /// What to write; by default what the ending of --out says, else JSON Lines
    #[arg(long = "as", value_name = "FORM", value_enum)]
    form: Option<Form>,

    /// File to write; - or nothing for the standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace the file also if this program did not write it
    #[arg(long, requires = "out")]
    overwrite: bool,

    /// JSON Schema of the values, for the columns of Parquet, CSV and Markdown. Without it, CSV and Markdown have a
    /// column for each key in the values
    #[arg(short, long, value_name = "FILE")]
    schema: Option<PathBuf>,

    /// Gold set whose values take precedence over the extracted ones; by default FILE.gold.jsonl beside the
    /// journal, if it is there
    #[arg(long, value_name = "FILE")]
    reviewed: Option<PathBuf>,

    #[command(flatten)]
    columns: ColumnArgs,
}

impl ExportArgs {
    /// The file to write; `None` for the standard output.
    fn out(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| path.as_os_str() != "-")
    }

    fn form(&self) -> Result<Form, Failure> {
        match (self.form, self.out()) {
            (Some(form), _) => form.is_built().map(|()| form),
            (None, Some(out)) => Form::of(out),
            (None, None) => Ok(Form::Jsonl),
        }
    }

    fn check(&self, out: &Path) -> Result<(), Failure> {
        let journal = self.journal.path();
        let gold = journal::gold_of(&journal);
        let used = [journal.as_path(), &gold]
            .into_iter()
            .chain(self.schema.as_deref())
            .chain(self.reviewed.as_deref());
        destination::check(out, self.overwrite, &used.collect::<Vec<_>>())
    }

    fn contract(&self) -> Result<Option<Contract>, Failure> {
        self.schema.as_deref().map(schema_file::contract).transpose()
    }
}

pub(crate) fn run(args: &ExportArgs) -> Outcome {
    let (path, contract) = (args.journal.path(), args.contract()?);
    let reviewed = journal::reviewed(args.reviewed.as_deref(), Some(&path))?;
    let journal = args.journal.read()?;
    journal::remark_reviewed(args.reviewed.as_deref(), (&path, &journal), contract.as_ref())?;
    journal::remark_incomplete(&journal)?;
    let journal = journal.with_reviewed(reviewed).map_err(|error| journal::failure(&error))?;
    if let Some(out) = args.out() {
        args.check(out)?;
        let form = args.form()?;
        results::to_file(
            journal,
            ResultsLayout { form, contract: contract.as_ref(), columns: args.columns },
            out,
        )?;
        return Ok(Exit::Success);
    }
    let form = args.form()?;
    let is_json = matches!(form, Form::Jsonl | Form::Json | Form::Everything);
    let mut stdout = BufWriter::new(if is_json { Escaping::json() } else { Escaping::text() });
    let layout = ResultsLayout { form, contract: contract.as_ref(), columns: args.columns };
    results::to_stream(&journal, layout, &mut stdout, |error: io::Error| error.into())?;
    Ok(Exit::Success)
}
