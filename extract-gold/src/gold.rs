//! Documents with values that somebody checked, in a file of JSON Lines.

use std::{
    collections::HashMap,
    fs::{self, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::nearest::NearestDocuments;

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
#[non_exhaustive]
pub struct GoldDocument {
    /// Name of the document. Without one, its text tells it from the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Text of the document. A file whose lines have a `path` is filled in by [`GoldSet::read`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// File with the text, relative to the file of the gold set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The right value.
    pub value: Value,
    /// Who checked it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked_by: Option<String>,
    /// When it was checked, as the reviewer's tool wrote it (RFC 3339 where it is ours).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked_at: Option<String>,
    /// Fingerprint of the schema that the value was checked against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Members with other names. They are kept.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl GoldDocument {
    /// Creates a document with a text and its right value.
    pub fn new(text: impl Into<String>, value: impl Into<Value>) -> Self {
        Self {
            key: None,
            text: text.into(),
            path: None,
            value: value.into(),
            checked_by: None,
            checked_at: None,
            schema: None,
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
}

/// The documents of a gold set, each once, in the order of their first lines.
///
/// A later line about the same document replaces an earlier one, so that a correction is appended
/// and nothing in the file is rewritten.
#[derive(Debug, Clone, Default)]
pub struct GoldSet {
    documents: Vec<GoldDocument>,
    /// Built when it is first needed.
    index: OnceLock<NearestDocuments>,
}

impl GoldSet {
    /// Creates a set of these documents. Of several with the same
    /// [identity](GoldDocument::identity) the last one counts.
    pub fn from_documents(documents: impl IntoIterator<Item = GoldDocument>) -> Self {
        let mut kept: Vec<GoldDocument> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for document in documents {
            if let Some(&place) = places.get(document.identity()) {
                kept[place] = document;
            } else {
                places.insert(document.identity().to_owned(), kept.len());
                kept.push(document);
            }
        }
        Self { documents: kept, index: OnceLock::new() }
    }

    /// Reads a file of JSON Lines, and the texts of documents that name a `path`. Blank lines are
    /// skipped.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is not UTF-8, or a line that is not a [`GoldDocument`] with
    /// either a `text` or a `path`. Says which.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, GoldError> {
        let path = path.as_ref();
        let lines = text_of(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut documents = Vec::new();
        for (index, line) in lines.trim_start_matches('\u{feff}').lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let wrong = |cause: String| GoldError::Line { path: path.into(), line: index + 1, cause };
            let mut document: GoldDocument =
                serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
            match (&document.path, document.text.is_empty()) {
                (Some(_), false) => return Err(wrong("it has both a text and a path".to_owned())),
                (None, true) => return Err(wrong("it has neither a text nor a path".to_owned())),
                (Some(file), true) => document.text = text_of(&folder.join(file))?,
                (None, false) => {}
            }
            documents.push(document);
        }
        Ok(Self::from_documents(documents))
    }

    /// Appends one document to a file, which is created if there is none. The line is written by
    /// one call and is on the disk when this returns. The text of a document with a `path` is not
    /// written.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn append(path: impl AsRef<Path>, document: &GoldDocument) -> Result<(), GoldError> {
        let path = path.as_ref();
        let failed = |error| GoldError::File { path: path.into(), error };
        let mut line = Vec::new();
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(path).map_err(failed)?;
        if !ends_a_line(&mut file).map_err(failed)? {
            line.push(b'\n');
        }
        let written = match document.path {
            Some(_) => &GoldDocument { text: String::new(), ..document.clone() },
            None => document,
        };
        serde_json::to_writer(&mut line, written).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        file.write_all(&line).and_then(|()| file.sync_all()).map_err(failed)
    }

    /// Returns the documents.
    pub fn documents(&self) -> &[GoldDocument] {
        &self.documents
    }

    pub(crate) fn index(&self) -> &NearestDocuments {
        self.index.get_or_init(|| NearestDocuments::of_gold(&self.documents))
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }
}

/// Returns whether the file is empty or its last line is complete. A run that was killed while it
/// wrote leaves half a line behind.
fn ends_a_line(file: &mut fs::File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn text_of(path: &Path) -> Result<String, GoldError> {
    fs::read_to_string(path).map_err(|error| GoldError::File { path: path.into(), error })
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
