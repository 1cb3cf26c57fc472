//! Documents with values that somebody checked, in a file of JSON Lines.

use std::{
    collections::HashMap,
    fs::{self, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Component, Path, PathBuf},
    sync::OnceLock,
};

use fs4::FileExt;
use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};
use serde_json::{Map, Value};

use extract::{Code, Contract, Violation, document::Document};

use crate::{facts::ShotFacts, nearest::NearestDocuments};

/// A document and the value that a person found right for it: one line of a gold set.
///
/// ```
/// use extract_gold::GoldDocument;
///
/// let line = r#"{"text": "Two of us come to Lyon.", "value": {"guests": 2}, "checked_by": "ann"}"#;
/// let document: GoldDocument = serde_json::from_str(line)?;
/// assert_eq!(document.checked_by.as_deref(), Some("ann"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "GoldLine")]
#[non_exhaustive]
pub struct GoldDocument {
    /// Name of the document. Without one, its text tells it from the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Text of the document. A file whose lines have a `path` is filled in by [`GoldSet::read`].
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// File with the text, relative to the folder of the gold set and inside of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Media type of a document that is not a text, such as `image/png`. It has neither a text nor a
    /// path; its value counts as reviewed, and it is not part of a [`GoldSet`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The right value. A line that is [withdrawn](Self::withdrawn) needs none.
    pub value: Value,
    /// Who checked it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked_by: Option<String>,
    /// When it was checked, as the reviewer's tool wrote it (RFC 3339 where it is ours).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked_at: Option<String>,
    /// Fingerprint of the schema that the value was checked against.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Takes earlier lines about the document back: it is not in the set.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
    /// Members with other names. They are kept.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A line as it is written.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct GoldLine {
    key: Option<String>,
    #[serde(default)]
    text: String,
    path: Option<PathBuf>,
    media_type: Option<String>,
    #[serde(default, deserialize_with = "present")]
    value: Option<Value>,
    checked_by: Option<String>,
    checked_at: Option<String>,
    schema: Option<String>,
    #[serde(default)]
    withdrawn: bool,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// Reads a value that is there, `null` too.
fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}

impl TryFrom<GoldLine> for GoldDocument {
    type Error = &'static str;

    fn try_from(line: GoldLine) -> Result<Self, Self::Error> {
        let GoldLine { key, text, path, media_type, value, checked_by, checked_at, schema, withdrawn, other } =
            line;
        let value = value.or(withdrawn.then_some(Value::Null)).ok_or("missing field `value`")?;
        Ok(Self { key, text, path, media_type, value, checked_by, checked_at, schema, withdrawn, other })
    }
}

impl GoldDocument {
    /// Creates a document with a text and its right value.
    pub fn new(text: impl Into<String>, value: impl Into<Value>) -> Self {
        Self {
            key: None,
            text: text.into(),
            path: None,
            media_type: None,
            value: value.into(),
            checked_by: None,
            checked_at: None,
            schema: None,
            withdrawn: false,
            other: Map::new(),
        }
    }

    /// Names the document.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Returns what tells the document from the others: its key, else its path, else its text.
    pub fn identity(&self) -> &str {
        let path = || self.path.as_deref().and_then(Path::to_str);
        self.key.as_deref().or_else(path).unwrap_or(&self.text)
    }

    /// Returns why a schema refuses the value: no agent can be right about it then. Warnings do not
    /// count, and quotes are looked up only in a text that is known.
    ///
    /// ```
    /// use extract::Contract;
    /// use extract_gold::GoldDocument;
    /// use serde_json::json;
    ///
    /// let contract = Contract::from_schema(json!({"type": "integer"}))?;
    /// assert!(GoldDocument::new("two", 2).violations(&contract).is_empty());
    /// assert_eq!(GoldDocument::new("two", "2").violations(&contract).len(), 1);
    /// # Ok::<(), extract::schema::SchemaError>(())
    /// ```
    pub fn violations(&self, contract: &Contract) -> Vec<Violation> {
        let contract = contract.document(&Document::from_text(self.text.as_str()));
        let mut violations = contract.validate(&self.value);
        let is_text_known = !self.text.is_empty();
        violations.retain(|violation| {
            !violation.is_warning() && (is_text_known || violation.code != Code::NotInSource)
        });
        violations
    }
}

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
        for (line, document) in documents {
            if let Some(&place) = places.get(document.identity()) {
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
        Self { documents, lines, without_text, index: OnceLock::new(), facts: OnceLock::new() }
    }

    /// Reads a file of JSON Lines, and the texts of documents that name a `path`. Blank lines are
    /// skipped, and so is half a line at the end, which a crash left.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is not UTF-8, or a line that is not a [`GoldDocument`] with
    /// a `text`, a `path` or a `media_type`. Says which. A `path` that is absolute or has a `..` is refused:
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
    /// As [`read`](Self::read), and what the function returns.
    pub fn read_with(
        path: impl AsRef<Path>,
        mut read_text: impl FnMut(&Path) -> io::Result<String>,
    ) -> Result<Self, GoldError> {
        let path = path.as_ref();
        let mut text_of =
            |path: &Path| read_text(path).map_err(|error| GoldError::File { path: path.into(), error });
        let lines = fs::read_to_string(path).map_err(|error| GoldError::File { path: path.into(), error })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut documents = Vec::new();
        for (index, line) in lines.trim_start_matches('\u{feff}').lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let wrong = |cause: String| GoldError::Line { path: path.into(), line: index + 1, cause };
            let mut document: GoldDocument = match serde_json::from_str(line) {
                Err(error) if error.is_eof() && lines.ends_with(line) => break,
                document => document.map_err(|error| wrong(error.to_string()))?,
            };
            // What is withdrawn need not be there any more.
            let is_withdrawn = document.withdrawn && !document.identity().is_empty();
            if is_withdrawn || document.media_type.is_some() {
                documents.push((Some(index + 1), document));
                continue;
            }
            match (&document.path, document.text.is_empty()) {
                (Some(_), false) => return Err(wrong("it has both a text and a path".to_owned())),
                (None, true) => return Err(wrong("it has neither a text nor a path".to_owned())),
                (Some(file), true) if !is_inside(file) => {
                    let file = file.display();
                    return Err(wrong(format!(
                        "the path `{file}` leads out of the folder of the gold set; it has to be relative and without `..`"
                    )));
                }
                (Some(file), true) => document.text = text_of(&folder.join(file))?,
                (None, false) => {}
            }
            documents.push((Some(index + 1), document));
        }
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

/// Bytes that are read at once from the end of a file.
const BLOCK: u64 = 1 << 16;

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
    /// A line that is not a document.
    #[error("`{}`, line {line}: {cause}; a line is {{\"text\": \"…\", \"value\": …}}", path.display())]
    #[non_exhaustive]
    Line {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong.
        cause: String,
    },
}
