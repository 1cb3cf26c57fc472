//! Reads documents from files, folders, patterns, records and the standard input.

mod array;
mod columns;
mod count;
mod csv;
mod file;
mod format;
mod item;
mod jsonl;
mod lines;
#[cfg(feature = "office")]
mod office;
#[cfg(feature = "parquet")]
mod parquet;
mod paths;
mod pdf;
mod size;
mod suitable;
#[cfg(test)]
mod tests;
mod unread;
mod unsupported;

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal as _},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use extract::document::Document;

use self::{
    array::{ArrayElements, JsonContent},
    columns::Columns,
    format::Format,
    item::{InputError, InputItems},
    suitable::ReadingSettings,
    unread::MAX_NAMED,
};
pub(crate) use self::{
    item::{Content, InputItem},
    paths::shown as path_as_key,
    unread::UnreadDocuments,
};
use crate::{destination::Files, error::Failure, install::install, output, own::Own};

/// Which documents.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Documents")]
pub(crate) struct InputArgs {
    /// Files, folders, patterns such as 'docs/**/*.txt', or - for the standard input. Hidden files, whose names begin with a
    /// dot, only if they are named
    #[arg(value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// What the inputs are; by default what their endings say, and one text on the standard input
    #[arg(long = "as", value_name = "FORMAT", value_enum)]
    format: Option<Format>,

    #[command(flatten)]
    columns: Columns,

    /// Sheet of a workbook; may be given several times. Without it the only sheet with values
    #[arg(long, value_name = "NAME")]
    sheet: Vec<String>,

    /// Give the model the text of PDF files instead of the files; only then do quotes have locations
    #[arg(long)]
    pdf_text: bool,

    /// Go on without files and rows that cannot be read; each is named, and the exit code is 1. A PDF that costs too
    /// much to read is left out in any case
    #[arg(long)]
    skip_unreadable: bool,
}

/// The documents of a command line, read one at a time on demand.
pub(crate) struct InputDocuments {
    items: InputItems,
    /// Their number, if known without reading them.
    pub(crate) count: Option<u64>,
    /// Files with records, which may be counted.
    records: CountedRecords,
    /// The number of skipped documents so far.
    pub(crate) skipped: Arc<AtomicU64>,
    skips: bool,
    /// Whether all of them are files, which end.
    are_files: bool,
    /// A remark about skipped files that are not documents.
    pub(crate) remark: Option<String>,
}

/// Files whose records make the number of documents known.
struct CountedRecords {
    files: Vec<(Option<PathBuf>, Format)>,
    /// Documents that are separate files.
    others: u64,
    columns: Columns,
}

impl CountedRecords {
    fn of(inputs: &[Input], columns: Columns) -> Self {
        let records = inputs.iter().filter(|input| input.format.is_records());
        let files: Vec<_> = records.map(|input| (input.path.clone(), input.format)).collect();
        Self { others: (inputs.len() - files.len()) as u64, files, columns }
    }
}

impl InputDocuments {
    /// Counts the records of all files, unless something cannot be read twice, such as a pipe.
    pub(crate) fn count_records(&mut self) {
        let CountedRecords { files, others, columns } = &self.records;
        if self.count.is_none() && !files.is_empty() {
            let counts =
                files.iter().map(|(path, format)| count::documents(path.as_deref(), *format, columns));
            self.count = counts.sum::<Option<u64>>().map(|count| count + others);
        }
    }
}

/// For how long the documents after an unreadable one are searched for others.
const SEARCH: Duration = Duration::from_secs(2);

impl InputDocuments {
    /// Adds the other documents that cannot be read to those that end the job: otherwise each of them would
    /// end a run of its own.
    fn find_unread(&mut self, unread: &mut UnreadDocuments) {
        if !self.are_files {
            return;
        }
        let since = Instant::now();
        for item in self.items.by_ref() {
            if let Some(error) = item.err().filter(|error| !error.is_too_large) {
                unread.add(error);
            }
            if since.elapsed() > SEARCH {
                unread.may_be_more();
                break;
            }
        }
    }
}

impl Iterator for InputDocuments {
    type Item = Result<InputItem, UnreadDocuments>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.items.next()? {
                Err(error) if self.skips || error.is_too_large => {
                    self.skipped.fetch_add(1, Ordering::Relaxed);
                    output::note(output::plain(&format!("skipped: {error}")));
                }
                Err(error) => {
                    let mut unread = UnreadDocuments::default();
                    unread.add(error);
                    self.find_unread(&mut unread);
                    return Some(Err(unread));
                }
                Ok(item) => {
                    if let InputItem { key, remark: Some(remark), .. } = &item {
                        output::remark(output::plain(&format!("{key}: {remark}")));
                    }
                    return Some(Ok(item));
                }
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.count.filter(|_| !self.skips).and_then(|count| usize::try_from(count).ok());
        (count.unwrap_or_default(), count)
    }
}

impl InputArgs {
    /// Returns whether any documents are named.
    pub(crate) fn is_given(&self) -> bool {
        !self.inputs.is_empty()
    }

    /// Returns the documents. Before the first one is read, checks that all files exist, that none
    /// is in `written`, and that the agent takes them; `text_only` names an agent that takes only
    /// text.
    pub(crate) fn documents(
        &self,
        written: &Files,
        text_only: Option<String>,
    ) -> Result<InputDocuments, Failure> {
        let (mut inputs, own) = self.named()?;
        self.check(&inputs, written)?;
        let is_records = |input: &Input| input.format.is_records();
        let count = (!inputs.iter().any(is_records)).then_some(inputs.len() as u64);
        let reading =
            ReadingSettings { is_text: self.format.is_some(), reads_pdf_text: self.pdf_text, text_only };
        let mut rejected = UnreadDocuments::default();
        if !self.skip_unreadable {
            inputs.retain(|input| match input.rejected(&reading) {
                Some(error) => {
                    rejected.add(error);
                    false
                }
                None => true,
            });
        }
        let are_files = inputs.iter().all(|input| input.path.as_deref().is_some_and(Path::is_file));
        let (columns, sheets) = (self.columns.clone(), self.sheet.clone());
        let records = CountedRecords::of(&inputs, columns.clone());
        let items = inputs.into_iter().flat_map(move |input| input.items(&columns, &sheets, &reading));
        let remark = (!own.is_empty()).then(|| remark(&own));
        let skipped = Arc::default();
        let mut documents = InputDocuments {
            items: Box::new(items),
            count,
            records,
            skipped,
            skips: self.skip_unreadable,
            are_files,
            remark,
        };
        if rejected.is_empty() {
            return Ok(documents);
        }
        documents.find_unread(&mut rejected);
        Err(Failure::usage(rejected.to_string())
            .help("`--skip-unreadable` goes on without the documents that cannot be read"))
    }

    /// Returns where two different documents have this key, if all inputs can be read again. Only the failure
    /// is printed after that.
    pub(crate) fn places_of(&self, key: &str) -> Option<(String, String)> {
        output::set_quiet(true);
        let (inputs, _) = self.named().ok()?;
        if !inputs.iter().all(|input| input.path.as_deref().is_some_and(Path::is_file)) {
            return None;
        }
        let reading = ReadingSettings {
            is_text: self.format.is_some(),
            reads_pdf_text: self.pdf_text,
            text_only: None,
        };
        let items = inputs.into_iter().flat_map(|input| input.items(&self.columns, &self.sheet, &reading));
        let mut with_key = items.filter_map(Result::ok).filter(|item| item.key == key);
        let first = with_key.next()?;
        let second = with_key.find(|item| item.text() != first.text())?;
        Some((first.place, second.place))
    }

    /// Returns the inputs, and the names of this program's own files among them, which are not
    /// documents.
    fn named(&self) -> Result<(Vec<Input>, Vec<String>), Failure> {
        let (mut inputs, mut own, mut left_out, mut arrays) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        if self.inputs.is_empty() && io::stdin().is_terminal() {
            return Err(Failure::usage("no documents are given").help(
                "name files, folders or patterns, or pipe a text in: `cat letter.txt | extractable …`",
            ));
        }
        let stdin = [OsString::from("-")];
        let named = if self.inputs.is_empty() { &stdin[..] } else { &self.inputs };
        if named.iter().filter(|name| *name == "-").count() > 1 {
            return Err(Failure::usage("`-` is given twice, and the standard input can be read once"));
        }
        let mut unusable = Vec::new();
        for name in named {
            if name == "-" {
                let format = self.format.unwrap_or(Format::Text);
                inputs.push(Input { path: None, format, remark: None });
                continue;
            }
            let paths = paths::expanded(Path::new(name), &mut left_out).unwrap_or_else(|failure| {
                unusable.push(failure);
                Vec::new()
            });
            for path in paths {
                let (format, remark) = self.format_of(&path);
                match Own::of(&path) {
                    Some(Own::Results) if self.wants_results(name, &path, format) => {}
                    Some(_) => {
                        own.push(paths::shown(&path));
                        continue;
                    }
                    None => {}
                }
                if format == Format::Json && self.format.is_none() && !self.columns.are_given() {
                    arrays.push(paths::shown(&path));
                }
                inputs.push(Input { path: Some(path), format, remark });
            }
        }
        if let Some(failure) = together(unusable) {
            return Err(failure);
        }
        if !left_out.is_empty() {
            let left_out: Vec<_> = left_out.iter().map(|path| paths::shown(path)).collect();
            output::remark(output::plain(&format!(
                "{} left out: a link to a folder is not followed, a broken one leads to nothing, and a pipe or a socket \
                 is read only if it is named",
                listed(&left_out)
            )));
        }
        if !arrays.is_empty() {
            // A conversation is such an array too, and one document.
            output::remark(output::plain(&format!(
                "{}: each object of the JSON array is a document; `--as text` reads the file as one",
                listed(&arrays)
            )));
        }
        if inputs.is_empty() {
            return Err(Failure::usage(remark(&own)).help(
                "to read results as documents, name their file, and with --text the field, such as /value/summary",
            ));
        }
        Ok((inputs, own))
    }

    /// Checks that no input is an output, and that this build reads every format.
    fn check(&self, inputs: &[Input], written: &Files) -> Result<(), Failure> {
        if let Some(input) =
            inputs.iter().find(|input| input.path.as_deref().is_some_and(|path| written.have(path)))
        {
            return Err(Failure::usage(format!(
                "the input `{}` is where the results or their journal go",
                input.name()
            ))
            .help("give the results a file of their own, outside of the folder or pattern of the inputs"));
        }
        if self.pdf_text && cfg!(not(feature = "pdf")) {
            return Err(Failure::usage("this build does not read PDF files")
                .help(concat!("install it with: ", install!("pdf"))));
        }
        if let Some(input) = inputs.iter().find(|input| input.format.is_office())
            && cfg!(not(feature = "office"))
        {
            return Err(Failure::usage(format!(
                "`{}` is a document of an office program, which this build does not read",
                input.name()
            ))
            .help(concat!("install it with: ", install!("office"))));
        }
        if !self.sheet.is_empty() && !inputs.iter().any(|input| input.format == Format::Xlsx) {
            return Err(Failure::usage("`--sheet` is given, and no input is a workbook"));
        }
        if let Some(input) = inputs.iter().find(|input| input.format == Format::Parquet) {
            if cfg!(not(feature = "parquet")) {
                return Err(Failure::usage(format!(
                    "`{}` is Parquet, which this build does not read",
                    input.name()
                ))
                .help(concat!("install it with: ", install!("parquet"))));
            }
            if input.path.is_none() {
                return Err(Failure::usage("Parquet is not read from the standard input")
                    .help("its index is at its end; name the file"));
            }
        }
        Ok(())
    }

    /// Returns the format of a file, and a remark on it.
    fn format_of(&self, path: &Path) -> (Format, Option<&'static str>) {
        if let Some(format) = self.format {
            return (format, None);
        }
        match Format::of(path) {
            Format::Text if format::ending(path) == "json" => match array::content(path, &self.columns) {
                JsonContent::Records => (Format::Json, None),
                JsonContent::Objects => (Format::Text, Some(OBJECTS)),
                JsonContent::Other => (Format::Text, None),
            },
            format => (format, None),
        }
    }

    /// Returns whether the results at `path` are meant to be read: the user named the file and the
    /// field with the text.
    fn wants_results(&self, name: &OsStr, path: &Path, format: Format) -> bool {
        Path::new(name) == path && format.is_records() && self.columns.names_text()
    }
}

/// One failure for all inputs that cannot be used: otherwise each of them would end a run of its own.
fn together(mut failures: Vec<Failure>) -> Option<Failure> {
    if failures.len() < 2 {
        return failures.pop();
    }
    let first = failures.iter().take(MAX_NAMED).map(|failure| format!("\n  {failure}"));
    let more = failures.len().saturating_sub(MAX_NAMED);
    let all = first.chain((more > 0).then(|| format!("\n  and {more} more"))).collect::<String>();
    Some(Failure::usage(format!("{} inputs cannot be used:{all}", failures.len())))
}

/// Says which files of this program are not documents.
fn remark(own: &[String]) -> String {
    let verb = if own.len() == 1 { "holds results or a journal" } else { "hold results or journals" };
    format!("{} {verb} of this program, and no documents", listed(own))
}

/// The first few names.
fn listed(names: &[String]) -> String {
    let first: Vec<_> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    let more = names.len().checked_sub(NAMED + 1).map(|more| format!(" and {} more", more + 1));
    format!("{}{}", first.join(", "), more.unwrap_or_default())
}

/// How many files are named in a remark.
const NAMED: usize = 4;

/// Said of a file that probably holds a document in each object of its array.
const OBJECTS: &str = "a JSON array without the field `text`, read as one document; `--text NAME` reads each of its objects as \
                       a document, and `--as text` the file as it is";

/// A file, or the standard input.
struct Input {
    path: Option<PathBuf>,
    format: Format,
    /// What is said of it when it is read.
    remark: Option<&'static str>,
}

impl Input {
    fn name(&self) -> String {
        self.path.as_deref().map_or_else(|| item::STDIN.to_owned(), paths::shown)
    }

    /// Returns why the agent cannot be given the file, judging by its name and size.
    fn rejected(&self, reading: &ReadingSettings) -> Option<InputError> {
        let path = self.path.as_deref()?;
        // A pipe has no size before it is read.
        if path.metadata().is_ok_and(|file| file.is_file() && file.len() == 0) {
            return Some(InputError::new(self.name(), file::EMPTY));
        }
        let is_text = self.format == Format::Text;
        is_text.then(|| reading.rejects(path, &self.name())).flatten()
    }

    /// The documents. A remark names a table without any: more was expected of it.
    fn items(self, columns: &Columns, sheets: &[String], reading: &ReadingSettings) -> InputItems {
        let table = self.format.is_records().then(|| self.name());
        let mut items = self.all(columns, sheets, reading).peekable();
        if let Some(name) = table.filter(|_| items.peek().is_none()) {
            output::remark(output::plain(&format!("{name}: it has no rows, so there is no document in it")));
        }
        Box::new(items)
    }

    #[cfg_attr(not(feature = "office"), allow(unused_variables))]
    fn all(self, columns: &Columns, sheets: &[String], reading: &ReadingSettings) -> InputItems {
        let name = self.name();
        if let Some(error) = self.rejected(reading) {
            return Box::new(std::iter::once(Err(error)));
        }
        #[cfg(feature = "parquet")]
        if let (Format::Parquet, Some(path)) = (self.format, &self.path) {
            return parquet::items(&name, path, columns.clone());
        }
        let reader = match &self.path {
            None => Ok(Box::new(BufReader::new(io::stdin())) as Box<dyn BufRead + Send>),
            Some(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(BufReader::new(file)) as _),
                Err(error) => Err(InputError::new(&name, error)),
            },
        };
        let mut reader = match reader {
            Ok(reader) => reader,
            Err(error) => return Box::new(std::iter::once(Err(error))),
        };
        // Whatever is wrong with it is found when it is read.
        if self.path.is_none() && reader.fill_buf().is_ok_and(<[u8]>::is_empty) {
            return Box::new(std::iter::once(Err(file::nothing_came())));
        }
        match self.format {
            Format::Jsonl => {
                Box::new(jsonl::JsonRecords::new(lines::InputLines::new(name, reader), columns.clone()))
            }
            Format::Json => {
                Box::new(jsonl::JsonRecords::new(ArrayElements::new(name, reader), columns.clone()))
            }
            Format::Csv => csv::items(name, reader, None, columns.clone()),
            Format::Tsv => csv::items(name, reader, Some(b'\t'), columns.clone()),
            Format::Lines => Box::new(lines::LineTexts::new(name, reader)),
            #[cfg(feature = "office")]
            Format::Xlsx => office::rows(&name, reader, sheets, columns),
            format => {
                let mut item = file::read(&name, format, reader, reading.reads_pdf_text);
                if let Ok(InputItem { content: Content::Text(document), remark, .. }) = &mut item {
                    let of_stdin = self.path.is_none() && !reading.is_text;
                    let of_stdin = of_stdin.then(|| array::stdin_remark(document.text(), columns)).flatten();
                    let said = self.remark.or(of_stdin).map(str::to_owned);
                    *remark = remark.take().or(said);
                }
                Box::new(std::iter::once(item))
            }
        }
    }
}

/// Reads the text of a document for commands that need one, such as with `--document`.
pub(crate) fn document(path: &Path) -> Result<Document, Failure> {
    let name = paths::shown(path);
    text_document(path)
        .map_err(|error| Failure::usage(format!("the document `{name}` cannot be read: {error}")))
}

/// Reads a file with one document as a job reads it, a PDF as with `--pdf-text`.
pub(crate) fn text_document(path: &Path) -> io::Result<Document> {
    let format = match Format::of(path) {
        Format::Xlsx => return Err(io::Error::other("its rows are documents")),
        format if format.is_office() => format,
        _ => Format::Text,
    };
    if let Some(why) = unsupported::by_name(path).filter(|_| format == Format::Text) {
        return Err(io::Error::other(why));
    }
    let reader = BufReader::new(File::open(path)?);
    let item = file::read(&paths::shown(path), format, reader, true);
    match item.map_err(|error| io::Error::other(error.message))?.content {
        Content::Text(document) => Ok(document),
        Content::Media { .. } => Err(io::Error::other("it is no text")),
    }
}
