//! Results of a job that is not complete.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// A file that gets a line for each outcome as soon as it is committed.
///
/// It is for people who cannot wait. The journal is the truth, so a job does not end because this
/// file cannot be written: the file is removed, since its last line may be cut.
pub(super) struct PartialOutput {
    path: PathBuf,
    /// `None` if it could not be written.
    file: Option<File>,
    /// Lines that are not written yet.
    lines: Vec<u8>,
}

impl PartialOutput {
    /// Begins the file anew.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        // No link is followed.
        if fs::symlink_metadata(path).is_ok_and(|file| file.is_file()) {
            fs::remove_file(path)?;
        }
        let file = File::options().write(true).create_new(true).open(path)?;
        Ok(Self { path: path.to_owned(), file: Some(file), lines: Vec::new() })
    }

    pub(super) fn add(&mut self, line: &[u8]) {
        self.lines.extend_from_slice(line);
    }

    /// Writes the lines that were added.
    pub(super) fn flush(&mut self) {
        let Some(file) = self.file.as_mut().filter(|_| !self.lines.is_empty()) else {
            return self.lines.clear();
        };
        if file.write_all(&self.lines).is_err() {
            self.remove();
        }
        self.lines.clear();
    }

    /// Removes the file, which nobody needs any more.
    pub(super) fn remove(&mut self) {
        if self.file.take().is_some() {
            let _ = fs::remove_file(&self.path);
        }
    }
}
