//! `extractable view`: writes pages for people.

mod date;
mod folder;
mod value;

use std::{
    fs,
    path::{Path, PathBuf},
};

use extract::document::Document;
use extract_documents::View;
use serde_json::Value;

use crate::{
    destination,
    error::{Exit, Failure, Outcome},
    input::{self, InputArgs},
    journal::{self, JournalArgs},
    output,
    report::{JobReport, Links},
};

/// Write an HTML page: a document with its values, or the report of a job
///
/// A browser shows it without a network and without a server.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ViewArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// One document with the values that were found in it, each with its place
    Document(DocumentArgs),
    /// The report of a job: outcomes, violations by path, failed documents, tokens, slowest documents.
    /// With the documents of the job, a folder: the report, and a page for each document
    Job(JobArgs),
}

#[derive(Debug, clap::Args)]
struct JobArgs {
    #[command(flatten)]
    journal: JournalArgs,

    /// Title of the page; by default the name of the journal
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Fact for the header of each document's page, such as type=Invoice; may be repeated
    #[arg(long, value_name = "NAME=TEXT", value_parser = about)]
    about: Vec<About>,

    /// File to write, or with documents the folder for index.html and their pages; - or nothing for the
    /// standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace files also if this program did not write them
    #[arg(long, requires = "out")]
    overwrite: bool,

    /// The documents of the job, as `run` was given them
    #[command(flatten)]
    input: InputArgs,
}

/// A fact for the header of a page.
#[derive(Debug, Clone)]
struct About {
    name: String,
    text: String,
}

fn about(text: &str) -> Result<About, String> {
    let (name, text) = text.split_once('=').ok_or("it is a name and a text, such as type=Invoice")?;
    Ok(About { name: name.to_owned(), text: text.to_owned() })
}

#[derive(Debug, clap::Args)]
struct DocumentArgs {
    /// The document, as the model was given it
    #[arg(value_name = "DOCUMENT")]
    document: PathBuf,

    /// The value as JSON, such as `extract` prints it, or the results of a job, of which the one about this document is
    /// shown; - or nothing for the standard input
    #[arg(value_name = "VALUE")]
    value: Option<PathBuf>,

    /// Part of the JSON that is the value, as a JSON Pointer: /value for one line of `run`. Without it: all of it, and of
    /// several results /value
    #[arg(long, value_name = "POINTER")]
    at: Option<String>,

    /// Mark only quotes, not every value that is in the text
    #[arg(long)]
    quotes_only: bool,

    /// Title of the page; by default the name of the document
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Fact for the header, such as type=Invoice; may be repeated. The date is that of the file with the value
    #[arg(long, value_name = "NAME=TEXT", value_parser = about)]
    about: Vec<About>,

    /// File to write; - or nothing for the standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace the file also if this program did not write it
    #[arg(long, requires = "out")]
    overwrite: bool,
}

pub(crate) fn run(args: &ViewArgs) -> Outcome {
    match &args.what {
        What::Document(args) => document(args),
        What::Job(args) => job(args),
    }
}

fn document(args: &DocumentArgs) -> Outcome {
    let document = input::document(&args.document)?;
    let value = value::read(args)?;
    let title = args.title.clone().unwrap_or_else(|| args.document.display().to_string());
    let mut view = extract_documents::view(&document, &value)
        .title(title)
        .about("date", date::of(args.value.as_deref()));
    if !args.quotes_only {
        view = add_places(view, &document, &value);
    }
    view = args.about.iter().fold(view, with);
    let used: Vec<&Path> = [args.document.as_path()].into_iter().chain(args.value.as_deref()).collect();
    write(args.out.as_deref(), args.overwrite, &used, view.html())
}

fn job(args: &JobArgs) -> Outcome {
    let title = args.title.clone().unwrap_or_else(|| args.journal.title());
    if args.input.is_given() {
        return folder::write(args, title);
    }
    let report = JobReport::of(&args.journal.read()?, title).map_err(|error| journal::failure(&error))?;
    write(args.out.as_deref(), args.overwrite, &[&args.journal.path()], &report.html(&Links::default()))
}

/// Adds a fact to the header.
fn with(view: View, about: &About) -> View {
    view.about(&*about.name, &*about.text)
}

/// Adds the spans of values found in the text. That does not prove that a value came from there,
/// but shows where to look.
fn add_places(view: View, document: &Document, value: &Value) -> View {
    let located = document.locate(value);
    let without_span = located.found().iter().filter(|leaf| !has_span(value, leaf.path()));
    without_span.fold(view, |view, leaf| view.places(leaf.path().clone(), [leaf.span()]))
}

/// Returns whether the leaf belongs to a quote, which has its own span.
fn has_span(value: &Value, path: &extract::Path) -> bool {
    let pointer = path.to_pointer();
    let mut ancestor = pointer.as_str();
    while let Some((parent, _)) = ancestor.rsplit_once('/') {
        if value.pointer(parent).is_some_and(|part| part.get("span").is_some() || part.get("quote").is_some())
        {
            return true;
        }
        ancestor = parent;
    }
    false
}

/// Writes a page to a file or the standard output.
fn write(out: Option<&Path>, overwrites: bool, used: &[&Path], html: &str) -> Outcome {
    match out {
        Some(path) if path.as_os_str() != "-" => {
            destination::check(path, overwrites, used)?;
            fs::write(path, html).map_err(|error| {
                Failure::new(Exit::Storage, format!("`{}` cannot be written: {error}", path.display()))
            })?;
        }
        _ => output::raw(html.as_bytes())?,
    }
    Ok(Exit::Success)
}
