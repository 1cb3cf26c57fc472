//! The journal of a job.

use std::path::{Path, PathBuf};

use extract::Contract;
use extract_bulk::{Journal, JournalError, JournalSummary, ReviewedValue};
use extract_gold::{GoldDocument, ReviewFile};

use crate::{
    destination::missing_folder,
    error::{Exit, Failure},
    gold_paths::GoldPaths,
    install::install,
    output,
    own::GOLD,
};

/// A job that was run before.
#[derive(Debug, clap::Args)]
pub(crate) struct JournalArgs {
    /// Journal of the job, or the output next to it
    #[arg(value_name = "JOURNAL")]
    journal: PathBuf,
}

impl JournalArgs {
    /// The journal at `path`, or of the output at `path`.
    pub(crate) fn of(path: &Path) -> Self {
        Self { journal: path.to_owned() }
    }

    /// Opens it to change it. Nobody else may have it open.
    pub(crate) fn open(&self) -> Result<Journal, Failure> {
        Journal::open(self.file()?).map_err(|error| failure(&error))
    }

    /// Reads it as it is now, also while its job runs.
    pub(crate) fn read(&self) -> Result<Journal, Failure> {
        Journal::read(self.file()?).map_err(|error| failure(&error))
    }

    fn file(&self) -> Result<PathBuf, Failure> {
        let path = self.path();
        if path.is_dir() {
            return Err(Failure::usage(format!("`{}` is a folder, not a journal", path.display()))
                .help("name the journal of a job, or the output beside which it is"));
        }
        Ok(path)
    }

    /// The size of its file.
    pub(crate) fn bytes(&self) -> Result<u64, Failure> {
        let path = self.path();
        let failure =
            |error| Failure::new(Exit::Storage, format!("`{}` cannot be read: {error}", path.display()));
        std::fs::metadata(&path).map(|file| file.len()).map_err(failure)
    }

    /// Returns the path of the journal: for `out.jsonl` it is `out.jsonl.journal`.
    pub(crate) fn path(&self) -> PathBuf {
        let beside = beside(&self.journal);
        if beside.exists() { beside } else { self.journal.clone() }
    }

    /// The name of the job.
    pub(crate) fn title(&self) -> String {
        self.journal.display().to_string()
    }
}

/// Returns the path of the journal of an output, in the same folder.
pub(crate) fn beside(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".journal");
    name.into()
}

/// Returns the path of the gold set with the decisions of reviewers: for `out.jsonl.journal` it is
/// `out.jsonl.gold.jsonl`.
pub(crate) fn gold_of(journal: &Path) -> PathBuf {
    let stem = if journal.extension().is_some_and(|ending| ending == "journal") {
        journal.with_extension("")
    } else {
        journal.to_owned()
    };
    let mut name = stem.into_os_string();
    name.push(GOLD);
    name.into()
}

/// Returns the reviewed values in a gold set, by the [keys](GoldPaths) of the document. Without `gold` it
/// is the one beside the journal, if it is there.
pub(crate) fn reviewed(
    gold: Option<&Path>,
    journal: Option<&Path>,
) -> Result<Vec<(String, ReviewedValue)>, Failure> {
    let Some((path, file)) = decisions(gold, journal)? else { return Ok(Vec::new()) };
    let paths = GoldPaths::of(&path);
    // Of several values with the same key the last one counts: a line with the key itself.
    let (by_path, by_key): (Vec<_>, Vec<_>) = file.decisions().partition(|document| document.key.is_none());
    let decided = by_path.into_iter().chain(by_key).flat_map(|document| {
        let by = document.checked_by.clone().unwrap_or_else(|| "reviewer".to_owned());
        let value = ReviewedValue::new(document.value.clone(), by);
        paths.keys(document).into_iter().map(move |key| (key, value.clone()))
    });
    Ok(decided.collect())
}

/// Opens the gold set with reviewed values.
fn decisions(gold: Option<&Path>, journal: Option<&Path>) -> Result<Option<(PathBuf, ReviewFile)>, Failure> {
    let beside = || journal.map(gold_of).filter(|beside| beside.exists());
    let Some(path) = gold.map(Path::to_owned).or_else(beside) else { return Ok(None) };
    if gold.is_some() && !path.exists() {
        return Err(Failure::usage(format!("there is no gold set `{}`", path.display())));
    }
    let file = ReviewFile::open(&path).map_err(|error| Failure::usage(error.to_string()))?;
    Ok(Some((path, file)))
}

/// Remarks on reviewed values that the schema refuses, and on those of documents that the job does
/// not have. Both are exported or left out all the same: a reviewer decided so.
pub(crate) fn remark_reviewed(
    gold: Option<&Path>,
    (path, journal): (&Path, &Journal),
    contract: Option<&Contract>,
) -> Result<(), Failure> {
    let Some((gold, file)) = decisions(gold, Some(path))? else { return Ok(()) };
    let (paths, gold) = (GoldPaths::of(&gold), gold.display());
    let line = |document: &GoldDocument| file.line(document.identity()).unwrap_or_default();
    let mut decided: Vec<_> = file.decisions().collect();
    decided.sort_by_key(|document| line(document));
    let mut others = Vec::new();
    for document in decided {
        let known: Result<Vec<_>, _> = paths.keys(document).iter().map(|key| journal.get(key)).collect();
        if known.map_err(|error| failure(&error))?.iter().all(Option::is_none) {
            others.push(line(document));
            continue;
        }
        let violations = contract.map(|contract| document.violations(contract)).unwrap_or_default();
        if let Some(violation) = violations.first() {
            let line = line(document);
            output::remark(output::plain(&format!(
                "`{gold}`, line {line}: the schema refuses the value: {violation}"
            )));
        }
    }
    if let Some(first) = others.first() {
        let count = output::counted(others.len() as u64, "line");
        output::remark(format!(
            "{count} of `{gold}` left out: the job has no such document, as of line {first}"
        ));
    }
    Ok(())
}

/// Remarks on documents of a job that have no outcome.
pub(crate) fn remark_incomplete(journal: &Journal) -> Result<(), Failure> {
    let JournalSummary { documents, expected, missing, .. } =
        journal.inspect().map_err(|error| failure(&error))?;
    if missing > 0 {
        let all = output::counted(expected.unwrap_or(documents), "document");
        let read = if expected.is_some() { "" } else { " read so far" };
        output::remark(format!("the job is not complete: of {all}{read}, {missing} have no outcome"));
    }
    Ok(())
}

/// The failure of a journal, with advice.
pub(crate) fn failure(error: &JournalError) -> Failure {
    let failure = |exit| Failure::new(exit, error.to_string());
    match error {
        JournalError::Missing { path, .. } => match missing_folder(path) {
            Some(why) => Failure::usage(format!("`{}` cannot be read: {why}", path.display())),
            None => failure(Exit::Usage).help("`extractable run -o FILE` keeps its journal in FILE.journal"),
        },
        JournalError::NotAJournal { .. } => failure(Exit::Usage)
            .help("`extractable run -o FILE` keeps its journal in FILE.journal; this is another file"),
        JournalError::Held { .. } => failure(Exit::Storage)
            .help("a journal is written by one program at a time; wait until that one has ended, or look at it with `inspect`, `view` and `export`"),
        JournalError::Newer { .. } => {
            failure(Exit::Storage).help(concat!("install a newer version: ", install!()))
        }
        _ => failure(Exit::Storage),
    }
}
