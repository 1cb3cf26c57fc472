//! Documents with values that somebody checked, in a file of JSON Lines.

mod alternatives;
mod document;

use std::{
    collections::HashMap,
    fmt::Write as _,
    fs::{self, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Component, Path, PathBuf},
    sync::OnceLock,
};

use fs4::FileExt;
use serde::de::IgnoredAny;

use extract::Contract;

pub use self::document::{GoldDocument, GoldSchema};
use crate::{facts::ShotFacts, nearest::NearestDocuments};

/// The documents of a gold set, each once, in the order of their first lines.
///
/// A later line about the same document replaces an earlier one, so that a correction is appended
/// and nothing in the file is rewritten. A line that is [withdrawn](GoldDocument::withdrawn) takes
/// the document out. A document that [is not a text](GoldDocument::media_type) is left out, because it
/// can be neither asked about nor shown as an example here.
#[derive(Debug, Clone, Default)]
pub struct GoldSet {
    documents: Vec<GoldDocument>,
    /// The line of each document, if it was read from a file.
    lines: Vec<Option<usize>>,
    /// How many documents are not texts.
    without_text: usize,
    /// How many lines are replaced by later ones.
    replaced: usize,
    /// Built when it is first needed.
    index: OnceLock<NearestDocuments>,
    /// Computed when it is first needed.
    facts: OnceLock<ShotFacts>,
}

impl GoldSet {
    /// Creates a set of these documents. Of several with the same
    /// [identity](GoldDocument::identity) the last one counts.
    pub fn from_documents(documents: impl IntoIterator<Item = GoldDocument>) -> Self {
        Self::of(documents.into_iter().map(|document| (None, document)))
    }

    fn of(documents: impl IntoIterator<Item = (Option<usize>, GoldDocument)>) -> Self {
        let mut kept: Vec<(Option<usize>, GoldDocument)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut replaced = 0;
        for (line, document) in documents {
            if let Some(&place) = places.get(document.identity()) {
                replaced += 1;
                kept[place] = (line, document);
            } else {
                places.insert(document.identity().to_owned(), kept.len());
                kept.push((line, document));
            }
        }
        kept.retain(|(_, document)| !document.withdrawn);
        let all = kept.len();
        kept.retain(|(_, document)| document.media_type.is_none());
        let without_text = all - kept.len();
        let (lines, documents) = kept.into_iter().unzip();
        Self { documents, lines, without_text, replaced, index: OnceLock::new(), facts: OnceLock::new() }
    }

    /// Reads a file of JSON Lines, and the texts of documents that name a `path`. Blank lines are
    /// skipped, and so is half a line at the end, which a crash left.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is not UTF-8, or lines that are not a [`GoldDocument`] with a `text`,
    /// a `path` or a `media_type`, or whose file cannot be read. Names the first ten of them. A `path` that is absolute or has a `..` is refused:
    /// a gold set that somebody else made must not choose files of this machine to send to an agent.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, GoldError> {
        Self::read_with(path, |file| fs::read_to_string(file))
    }

    /// Reads a file like [`read`](Self::read), and the texts of documents that name a `path` by a
    /// function of that file, for other kinds of files.
    ///
    /// ```
    /// use extract_gold::{GoldDocument, GoldSet};
    /// use std::fs;
    /// # let folder = std::env::temp_dir().join(format!("extract-doc-read-with-{}", std::process::id()));
    /// # fs::create_dir_all(&folder)?;
    ///
    /// fs::write(folder.join("gold.jsonl"), r#"{"path": "a.html", "value": 77}"#)?;
    /// fs::write(folder.join("a.html"), "<p>Total <b>77</b></p>")?;
    /// let gold = GoldSet::read_with(folder.join("gold.jsonl"), |file| {
    ///     let page = fs::read_to_string(file)?;
    ///     Ok(page.split(['<', '>']).step_by(2).collect())
    /// })?;
    /// assert_eq!(gold.documents()[0].text, "Total 77");
    /// # fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read); what the function returns is the cause of its line.
    pub fn read_with(
        path: impl AsRef<Path>,
        mut read_text: impl FnMut(&Path) -> io::Result<String>,
    ) -> Result<Self, GoldError> {
        let path = path.as_ref();
        let lines = fs::read_to_string(path).map_err(|error| GoldError::File { path: path.into(), error })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let (mut documents, mut wrong) = (Vec::new(), WrongLines::default());
        for (index, line) in lines.trim_start_matches('\u{feff}').lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            if documents.is_empty() && wrong.is_empty() && line.trim_start().starts_with('[') {
                wrong.add(index + 1, AN_ARRAY.to_owned());
                // No other line is one.
                break;
            }
            let document = match serde_json::from_str(line) {
                Err(error) if error.is_eof() && lines.ends_with(line) => break,
                Err(error) => Err(not_a_document(&error)),
                Ok(document) => with_text(document, folder, &mut read_text),
            };
            match document {
                Ok(document) => documents.push((Some(index + 1), document)),
                Err(cause) => wrong.add(index + 1, cause),
            }
        }
        wrong.check(path)?;
        Ok(Self::of(documents))
    }

    /// Appends one document to a file, which is created if there is none. The line is written by
    /// one call and is on the disk when this returns; the file is locked meanwhile. The text of a
    /// document with a `path` is not written. Half a line that a crash left is removed.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn append(path: impl AsRef<Path>, document: &GoldDocument) -> Result<(), GoldError> {
        let path = path.as_ref();
        let failed = |error| GoldError::File { path: path.into(), error };
        append(&mut locked(path).map_err(failed)?, document).map_err(failed)
    }

    /// Returns the documents.
    pub fn documents(&self) -> &[GoldDocument] {
        &self.documents
    }

    /// Returns the set without the documents after the first `count`.
    #[must_use]
    pub fn take(&self, count: usize) -> Self {
        let first = self.documents.iter().zip(&self.lines).take(count);
        Self::of(first.map(|(document, line)| (*line, document.clone())))
    }

    /// Returns the contract of the schema that every document [has](GoldSchema::Whole).
    ///
    /// ```
    /// use extract_gold::GoldSet;
    /// # let file = std::env::temp_dir().join(format!("extract-doc-contract-{}.jsonl", std::process::id()));
    ///
    /// std::fs::write(&file, r#"{"text": "Two of us", "value": 2, "schema": {"type": "integer"}}"#)?;
    /// let contract = GoldSet::read(&file)?.contract()?;
    /// assert!(contract.validate(&2.into()).is_empty());
    /// # std::fs::remove_file(&file)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There are no documents; or the first one that has no schema, an invalid one, or another one than
    /// the documents before it.
    pub fn contract(&self) -> Result<Contract, GoldError> {
        let first = self.documents.first().ok_or(GoldError::Empty)?;
        let contract = first.contract().map_err(|cause| self.wrong_schema(0, cause))?;
        match self.documents.iter().position(|document| document.schema != first.schema) {
            Some(other) => {
                Err(self.wrong_schema(other, "its schema is not that of the first document".to_owned()))
            }
            None => Ok(contract),
        }
    }

    /// Returns the contract of each document's [own schema](GoldSchema::Whole), in the order of the
    /// documents.
    ///
    /// # Errors
    ///
    /// The first document without a schema of its own, or with an invalid one.
    pub fn contracts(&self) -> Result<Vec<Contract>, GoldError> {
        // Most documents have the schema of the one before, which need not be compiled again.
        let mut contracts: Vec<Contract> = Vec::with_capacity(self.len());
        for (number, document) in self.documents.iter().enumerate() {
            let before =
                number.checked_sub(1).filter(|before| self.documents[*before].schema == document.schema);
            contracts.push(match before {
                Some(before) => contracts[before].clone(),
                None => document.contract().map_err(|cause| self.wrong_schema(number, cause))?,
            });
        }
        Ok(contracts)
    }

    fn wrong_schema(&self, number: usize, cause: String) -> GoldError {
        let document = self.documents[number].identity().chars().take(MAX_NAME_CHARS).collect();
        GoldError::Schema { document, line: self.line(number), cause }
    }

    /// Returns the line of the file, from 1, that the document with this number comes from. `None` for
    /// one that was not read from a file.
    pub fn line(&self, number: usize) -> Option<usize> {
        self.lines.get(number).copied().flatten()
    }

    pub(crate) fn index(&self) -> &NearestDocuments {
        let texts = || self.documents.iter().map(|document| document.text.as_str());
        self.index.get_or_init(|| NearestDocuments::of(texts()))
    }

    pub(crate) fn facts(&self) -> ShotFacts {
        let known = || self.documents.iter().map(|document| (document.text.as_str(), &document.value));
        *self.facts.get_or_init(|| ShotFacts::of(known()))
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Returns how many documents were left out because they are not texts.
    pub fn without_text(&self) -> usize {
        self.without_text
    }

    /// Returns how many documents were replaced by later ones about the same document, as corrections
    /// are.
    pub fn replaced(&self) -> usize {
        self.replaced
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }
}

/// Opens the file of a gold set, which is created if there is none, and locks it until it is closed.
pub(crate) fn locked(path: &Path) -> io::Result<fs::File> {
    let file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
    FileExt::lock(&file)?;
    Ok(file)
}

/// Appends one document to a [locked] file.
pub(crate) fn append(file: &mut fs::File, document: &GoldDocument) -> io::Result<()> {
    let mut line = Vec::new();
    match last_line(file)? {
        LastLine::Complete => {}
        LastLine::Unended => line.push(b'\n'),
        LastLine::Half(start) => file.set_len(start)?,
    }
    let written = match document.path {
        Some(_) => &GoldDocument { text: String::new(), ..document.clone() },
        None => document,
    };
    serde_json::to_writer(&mut line, written)?;
    line.push(b'\n');
    file.write_all(&line)?;
    file.sync_all()
}

/// The end of a file of lines.
enum LastLine {
    /// It ends with a line break, or is empty.
    Complete,
    /// Only its line break is missing, as editors leave it.
    Unended,
    /// A process that was killed while it wrote left half a line, from this byte on.
    Half(u64),
}

fn last_line(file: &mut fs::File) -> io::Result<LastLine> {
    let end = file.seek(SeekFrom::End(0))?;
    let mut tail: Vec<u8> = Vec::new();
    let mut start = end;
    while start > 0 {
        let size = start.min(BLOCK);
        start -= size;
        file.seek(SeekFrom::Start(start))?;
        let mut block = vec![0; usize::try_from(size).unwrap_or_default()];
        file.read_exact(&mut block)?;
        if let Some(at) = block.iter().rposition(|byte| *byte == b'\n') {
            start += at as u64 + 1;
            block.drain(..=at);
            tail.splice(..0, block);
            break;
        }
        tail.splice(..0, block);
    }
    if tail.is_empty() {
        return Ok(LastLine::Complete);
    }
    let is_half = serde_json::from_slice::<IgnoredAny>(&tail).is_err_and(|error| error.is_eof());
    Ok(if is_half { LastLine::Half(start) } else { LastLine::Unended })
}

/// Most characters of a document's name in a message; it may be the whole text.
const MAX_NAME_CHARS: usize = 60;

/// How many wrong lines an error names.
const MAX_NAMED: usize = 10;

/// Bytes that are read at once from the end of a file.
const BLOCK: u64 = 1 << 16;

/// Why a line is not a document.
pub(crate) fn not_a_document(error: &serde_json::Error) -> String {
    // The number of the line is that of the file.
    let cause = error.to_string().replace(" at line 1 column ", " at column ");
    format!("{cause}; {FORM}")
}

pub(crate) const AN_ARRAY: &str =
    "a JSON array, and not a document on each line, as `jq -c '.[]'` makes of it";

const FORM: &str = r#"a line is {"text": "…", "value": …}"#;

/// Adds the text of the file that a document in `folder` names.
fn with_text(
    mut document: GoldDocument,
    folder: &Path,
    read_text: &mut impl FnMut(&Path) -> io::Result<String>,
) -> Result<GoldDocument, String> {
    // What is withdrawn need not be there any more.
    let is_withdrawn = document.withdrawn && !document.identity().is_empty();
    if is_withdrawn || document.media_type.is_some() {
        return Ok(document);
    }
    match (&document.path, document.text.is_empty()) {
        (Some(_), false) => Err("it has both a text and a path".to_owned()),
        (None, true) => Err(format!("it has neither a text nor a path; {FORM}")),
        (None, false) => Ok(document),
        (Some(file), true) if !is_inside(file) => Err(format!(
            "the path `{}` leads out of the folder of the gold set; it has to be relative and without `..`",
            file.display()
        )),
        (Some(file), true) => {
            let file = folder.join(file);
            document.text = read_text(&file).map_err(|error| format!("`{}`: {error}", file.display()))?;
            Ok(document)
        }
    }
}

/// Returns whether a relative path stays in its folder by its words alone. Symbolic links are
/// followed, as they are the work of whoever owns the folder.
fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Why a gold set cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GoldError {
    /// A file of it.
    #[error("`{}`: {error}", path.display())]
    #[non_exhaustive]
    File {
        /// Path of the file.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// Lines that are not documents, or whose texts cannot be read.
    #[error("{}", wrong_lines(path, lines, *more))]
    #[non_exhaustive]
    Lines {
        /// Path of the file.
        path: PathBuf,
        /// The first ten of them.
        lines: Vec<WrongGoldLine>,
        /// How many others there are.
        more: usize,
    },
    /// A document whose own schema is needed and cannot be used.
    #[error("{}the document {document:?}: {cause}", line.map(|line| format!("line {line}, ")).unwrap_or_default())]
    #[non_exhaustive]
    Schema {
        /// What tells the document from the others, at most 60 characters of it.
        document: String,
        /// Number of its line, from 1, if it was read from a file.
        line: Option<usize>,
        /// What is wrong.
        cause: String,
    },
    /// A set without documents.
    #[error("there are no documents")]
    Empty,
}

/// A line of a gold set that is not a document, or whose text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrongGoldLine {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong.
    pub cause: String,
}

/// Lines that are not documents, of which the first ones are named.
#[derive(Default)]
pub(crate) struct WrongLines {
    named: Vec<WrongGoldLine>,
    more: usize,
}

impl WrongLines {
    pub(crate) fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    pub(crate) fn add(&mut self, line: usize, cause: String) {
        if self.named.len() < MAX_NAMED {
            self.named.push(WrongGoldLine { line, cause });
        } else {
            self.more += 1;
        }
    }

    /// Fails if there are any in the file at `path`.
    pub(crate) fn check(self, path: &Path) -> Result<(), GoldError> {
        let Self { named: lines, more } = self;
        if lines.is_empty() { Ok(()) } else { Err(GoldError::Lines { path: path.into(), lines, more }) }
    }
}

fn wrong_lines(path: &Path, lines: &[WrongGoldLine], more: usize) -> String {
    let path = path.display();
    if let ([WrongGoldLine { line, cause }], 0) = (lines, more) {
        return format!("`{path}`, line {line}: {cause}");
    }
    let mut text = format!("`{path}`: {} lines cannot be used:", lines.len() + more);
    for WrongGoldLine { line, cause } in lines {
        let _ = write!(text, "\n  line {line}: {cause}");
    }
    if more > 0 {
        let _ = write!(text, "\n  and {more} more");
    }
    text
}
