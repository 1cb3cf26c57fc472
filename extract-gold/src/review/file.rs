//! The decisions of reviewers, in the file of a gold set.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use crate::gold::{self, AN_ARRAY, GoldDocument, GoldError, WrongLines, not_a_document};

/// A gold set that several reviewers append to at once.
///
/// Every decision is a line, which is on the disk before [`decide`](Self::decide) returns. Each
/// document has a version, the number of its lines: whoever decides says which version they saw, and
/// nobody overwrites what they did not see.
///
/// ```
/// use extract_gold::{GoldDocument, ReviewError, ReviewFile};
/// use serde_json::json;
/// # let path = std::env::temp_dir().join(format!("extract-doc-review-{}.jsonl", std::process::id()));
/// # let _ = std::fs::remove_file(&path);
///
/// let document = |guests: u32| GoldDocument::new("Two of us", json!({"guests": guests})).with_key("a.txt");
/// let (mut ann, mut bob) = (ReviewFile::open(&path)?, ReviewFile::open(&path)?);
/// assert_eq!(ann.decide(document(2), 0)?, 1);
/// assert!(matches!(bob.decide(document(3), 0), Err(ReviewError::Conflict { version: 1, .. })));
/// assert_eq!(bob.get("a.txt").unwrap().value, json!({"guests": 2}));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ReviewFile {
    path: PathBuf,
    /// Bytes and lines that were read.
    read_bytes: u64,
    read_lines: usize,
    latest: HashMap<String, Decided>,
}

#[derive(Debug)]
struct Decided {
    version: u64,
    /// Its last line, from 1.
    line: usize,
    /// Without its text.
    document: GoldDocument,
}

impl ReviewFile {
    /// Reads the decisions in a file, which need not exist yet.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or has lines that are not a [`GoldDocument`]. Names the first ten of them.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, GoldError> {
        let path = path.as_ref().to_owned();
        let mut file = Self { path, read_bytes: 0, read_lines: 0, latest: HashMap::new() };
        file.refresh()?;
        Ok(file)
    }

    /// Reads the decisions that were added since, also by other processes.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn refresh(&mut self) -> Result<(), GoldError> {
        let failed = |path: &Path, error| GoldError::File { path: path.into(), error };
        match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.forget();
                Ok(())
            }
            Err(error) => Err(failed(&self.path, error)),
            Ok(mut file) => self.read(&mut file),
        }
    }

    fn forget(&mut self) {
        (self.read_bytes, self.read_lines) = (0, 0);
        self.latest.clear();
    }

    fn read(&mut self, file: &mut File) -> Result<(), GoldError> {
        let added = self.added(file).map_err(|error| GoldError::File { path: self.path.clone(), error })?;
        let mut wrong = WrongLines::default();
        for (number, line) in (self.read_lines + 1..).zip(added.split_inclusive(|byte| *byte == b'\n')) {
            let is_ended = line.ends_with(b"\n");
            let text = if self.read_bytes == 0 { line.strip_prefix(BOM).unwrap_or(line) } else { line };
            if !text.trim_ascii().is_empty() {
                if self.latest.is_empty() && wrong.is_empty() && text.trim_ascii_start().starts_with(b"[") {
                    wrong.add(number, AN_ARRAY.to_owned());
                    // No other line is one.
                    break;
                }
                match serde_json::from_slice(text) {
                    Ok(document) if wrong.is_empty() => self.add(document),
                    Ok(GoldDocument { .. }) => {}
                    // A crash left half a line, or another process is writing it.
                    Err(error) if error.is_eof() && !is_ended => break,
                    Err(error) => wrong.add(number, not_a_document(&error)),
                }
            }
            // The next look begins at the first wrong line again.
            if wrong.is_empty() {
                self.read_bytes += line.len() as u64;
                self.read_lines += usize::from(is_ended);
            }
        }
        wrong.check(&self.path)
    }

    /// Returns the bytes that were added; all of them if the file was replaced by a shorter one.
    fn added(&mut self, file: &mut File) -> io::Result<Vec<u8>> {
        if file.seek(SeekFrom::End(0))? < self.read_bytes {
            self.forget();
        }
        file.seek(SeekFrom::Start(self.read_bytes))?;
        let mut added = Vec::new();
        file.read_to_end(&mut added)?;
        Ok(added)
    }

    fn add(&mut self, mut document: GoldDocument) {
        let identity = document.identity().to_owned();
        if document.key.is_some() || document.path.is_some() {
            document.text = String::new();
        }
        let (version, line) = (self.version(&identity) + 1, self.read_lines + 1);
        self.latest.insert(identity, Decided { version, line, document });
    }

    /// Returns how many decisions there are about a document, by its
    /// [identity](GoldDocument::identity).
    pub fn version(&self, identity: &str) -> u64 {
        self.latest.get(identity).map_or(0, |decided| decided.version)
    }

    /// Returns the last decision about a document, by its identity; `None` if there is none or it
    /// was [withdrawn](GoldDocument::withdrawn). Its text is empty unless that is its identity.
    pub fn get(&self, identity: &str) -> Option<&GoldDocument> {
        self.latest.get(identity).map(|decided| &decided.document).filter(|document| !document.withdrawn)
    }

    /// Returns the line of the file, from 1, with the last decision about a document, by its identity.
    pub fn line(&self, identity: &str) -> Option<usize> {
        self.latest.get(identity).map(|decided| decided.line)
    }

    /// Returns the last decisions about all documents, in no order.
    pub fn decisions(&self) -> impl Iterator<Item = &GoldDocument> {
        self.latest.values().map(|decided| &decided.document).filter(|document| !document.withdrawn)
    }

    /// Appends a decision about a document of which the reviewer saw version `seen`, and returns
    /// its new version. Sets [`checked_at`](GoldDocument::checked_at) to the time of now. The file
    /// is locked meanwhile, and the line is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// [`ReviewError::Conflict`] if somebody decided since; [`get`](Self::get) returns what.
    /// Otherwise the file cannot be read or written, and nothing was decided.
    pub fn decide(&mut self, mut document: GoldDocument, seen: u64) -> Result<u64, ReviewError> {
        let failed = |path: &Path, error| GoldError::File { path: path.into(), error };
        let mut file = gold::locked(&self.path).map_err(|error| failed(&self.path, error))?;
        self.read(&mut file)?;
        let version = self.version(document.identity());
        if version != seen {
            return Err(ReviewError::Conflict { version });
        }
        document.checked_at = Some(jiff::Timestamp::now().to_string());
        gold::append(&mut file, &document).map_err(|error| failed(&self.path, error))?;
        self.read(&mut file)?;
        Ok(self.version(document.identity()))
    }
}

/// What some editors begin a file with.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// Why a decision was not kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReviewError {
    /// Somebody else decided about the document since.
    #[error("somebody else decided about the document since: it has version {version} now")]
    #[non_exhaustive]
    Conflict {
        /// Version of the document now.
        version: u64,
    },
    /// The file cannot be read or written.
    #[error(transparent)]
    Gold(#[from] GoldError),
}
