//! Verifies that a file is the published one.

use std::{
    ffi::OsString,
    fs::{self, File, Metadata},
    io::{self, Read},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::progress;
use crate::{error::LocalModelError, published::Published};

/// The path with `suffix` after its file name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// The content of the `.verified` file: a file of this size and modification time had this
/// checksum.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Verified {
    bytes: u64,
    /// Nanoseconds since 1970.
    modified: u64,
    sha256: String,
}

impl Verified {
    fn describes(&self, metadata: &Metadata) -> bool {
        self.bytes == metadata.len() && self.modified == modified(metadata)
    }
}

/// Verifies a file of the cache, by its `.verified` file if that still matches, else by its
/// checksum.
pub(super) fn check(path: &Path, published: &Published) -> Result<(), LocalModelError> {
    let metadata = fs::metadata(path).map_err(LocalModelError::io("read", path))?;
    let noted: Option<Verified> =
        fs::read(beside(path, ".verified")).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let is_the_published_one =
        |noted: &Verified| noted.bytes == published.bytes && noted.sha256 == published.sha256;
    if noted.is_some_and(|noted| is_the_published_one(&noted) && noted.describes(&metadata)) {
        return Ok(());
    }
    let actual = sum(path)?;
    if actual == published.sha256 {
        // If the cache is read-only, the file is hashed at every start.
        let _ = note(path, path, &actual);
        return Ok(());
    }
    Err(LocalModelError::WrongFile {
        path: path.to_path_buf(),
        discarded: false,
        expected_bytes: published.bytes,
        expected_sha256: published.sha256.to_owned(),
        actual_bytes: metadata.len(),
        actual_sha256: actual,
    })
}

/// Writes the `.verified` file of `destination`. `path` is its current location, and has the
/// checksum `sha256`.
pub(super) fn note(path: &Path, destination: &Path, sha256: &str) -> Result<(), LocalModelError> {
    let metadata = fs::metadata(path).map_err(LocalModelError::io("read", path))?;
    let verified =
        Verified { bytes: metadata.len(), modified: modified(&metadata), sha256: sha256.to_owned() };
    let marker = beside(destination, ".verified");
    // A torn write is not valid JSON, and then the file is hashed again.
    let text = serde_json::json!(verified).to_string();
    fs::write(&marker, text).map_err(LocalModelError::io("write", marker))
}

/// SHA-256 of a file as lower-case hexadecimal digits.
pub(super) fn sum(path: &Path) -> Result<String, LocalModelError> {
    let read = || -> io::Result<String> {
        let file = File::open(path)?;
        let bar = progress::bytes(file.metadata()?.len(), "verifying");
        let mut hasher = Hasher::default();
        let mut reader = bar.wrap_read(file);
        let mut buffer = vec![0; 1 << 20];
        loop {
            match reader.read(&mut buffer)? {
                0 => break,
                n => hasher.update(&buffer[..n]),
            }
        }
        bar.finish_and_clear();
        Ok(hasher.finish())
    };
    read().map_err(LocalModelError::io("read", path))
}

/// A SHA-256 that is being computed.
#[derive(Default)]
pub(super) struct Hasher(Sha256);

impl Hasher {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(super) fn finish(self) -> String {
        format!("{:x}", self.0.finalize())
    }
}

/// Nanoseconds since 1970; 0 if the file system has no times.
fn modified(metadata: &Metadata) -> u64 {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| u64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}
