//! The report of a job as a folder: an index, and a page for each document.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use extract::document::Document;
use extract_bulk::{Journal, Outcome as DocumentOutcome};
use extract_documents::{View, view};

use super::{JobArgs, add_places, date, with};
use crate::{
    destination::{self, Files},
    error::{Exit, Failure, Outcome},
    input::{Content, InputDocuments},
    journal, output,
    report::{FOLDER, JobReport, Links, name},
};

/// Writes the pages of the documents that `args` names, and the report with links to them.
pub(super) fn write(args: &JobArgs, title: String) -> Outcome {
    let folder = args.out.as_deref().filter(|out| is_folder(out)).ok_or_else(|| {
        Failure::usage("the report and the pages of its documents are several files")
            .help("name a folder for them: `-o report`")
    })?;
    let journal_path = args.journal.path();
    // Checked before anything is written or read.
    create(folder)?;
    let index = folder.join("index.html");
    destination::check(&index, args.overwrite, &[&journal_path])?;
    let pages = folder.join(FOLDER);
    create(&pages)?;
    let documents = args.input.documents(&Files::of([index.as_path()]), None)?;

    let journal = args.journal.read()?;
    let date = date::of(Some(&journal_path));
    let (links, without) = (Links::default(), 0);
    let mut writer = PageWriter { journal: &journal, folder: pages, args, date, links, without };
    let skipped = documents.skipped.clone();
    writer.documents(documents)?;
    let (links, without) = (writer.links, writer.without);
    let report = JobReport::of(&journal, title).map_err(|error| journal::failure(&error))?;
    save(&index, &report.html(&links))?;
    if without > 0 {
        let documents = output::counted(without, "document");
        output::note(format!("{documents} without a page: no text, or not in the job"));
    }
    let has_skipped = skipped.load(std::sync::atomic::Ordering::Relaxed) > 0;
    Ok(if has_skipped { Exit::NotConforming } else { Exit::Success })
}

struct PageWriter<'w> {
    journal: &'w Journal,
    folder: PathBuf,
    args: &'w JobArgs,
    /// The date of the job.
    date: String,
    links: Links,
    /// Documents that have no page.
    without: u64,
}

impl PageWriter<'_> {
    /// Writes the pages, one document at a time.
    fn documents(&mut self, documents: InputDocuments) -> Result<(), Failure> {
        for item in documents {
            let item = item.map_err(|error| Failure::usage(error.to_string()))?;
            let outcome = self.journal.get(&item.key).map_err(|error| journal::failure(&error))?;
            let (Some(outcome), Content::Text(document)) = (outcome, item.content) else {
                self.without += 1;
                continue;
            };
            let Some(file) = self.links.add(&outcome.key) else { continue };
            let path = self.folder.join(file);
            destination::check(&path, self.args.overwrite, &[&self.args.journal.path()])?;
            let facts = |view| self.args.about.iter().fold(view, with);
            save(&path, page(&document, &outcome, facts).about("date", &*self.date).html())?;
        }
        Ok(())
    }
}

/// The page of one document: its value, or the last one that was not accepted, and why. `facts` come
/// first in its header.
fn page(document: &Document, outcome: &DocumentOutcome, facts: impl Fn(View) -> View) -> View {
    let last = outcome.result.as_ref().err().and_then(|failure| failure.history.last());
    let value = match &outcome.result {
        Ok(value) => Some(value),
        Err(_) => last.and_then(|attempt| attempt.submitted()),
    };
    let mut view = match value {
        Some(value) => add_places(view(document, value), document, value),
        None => View::of(document),
    };
    view = facts(view).metrics(&outcome.metrics).title(&outcome.key).about("outcome", name(&outcome.status));
    if let Err(failure) = &outcome.result {
        view = view.about("reason", failure.name.clone());
    }
    match last {
        Some(attempt) => view.violations(&attempt.violations),
        None => view,
    }
}

/// Returns whether a path may name a folder. A path with the extension of a page is a file.
fn is_folder(path: &Path) -> bool {
    let is_page = path
        .extension()
        .is_some_and(|ending| ["html", "htm"].iter().any(|page| ending.eq_ignore_ascii_case(page)));
    path.as_os_str() != "-" && (path.is_dir() || !is_page)
}

/// Creates a folder, unless it is there.
fn create(folder: &Path) -> Result<(), Failure> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        made => made.map_err(|error| {
            Failure::new(
                Exit::Storage,
                format!("the folder `{}` cannot be created: {error}", folder.display()),
            )
        }),
    }
}

fn save(path: &Path, html: &str) -> Result<(), Failure> {
    fs::write(path, html).map_err(|error| {
        Failure::new(Exit::Storage, format!("`{}` cannot be written: {error}", path.display()))
    })
}
