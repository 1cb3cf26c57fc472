//! Incomplete downloads.

use std::{
    fs::{self, OpenOptions},
    path::{Path, PathBuf},
};

use super::{
    download::Download,
    verify::{self, beside},
};
use crate::error::LocalModelError;

/// The folder of a download. It is on the same file system as the destination, so that the final
/// rename is atomic. Dropping this removes the folder with its content. The next process removes a
/// folder left by a killed one; the lock ensures that nobody else works there.
pub(super) struct PartialFile {
    folder: PathBuf,
}

impl PartialFile {
    pub(super) fn new(destination: &Path) -> Result<Self, LocalModelError> {
        let folder = beside(destination, ".partial");
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(LocalModelError::io("remove", &folder))?;
        }
        fs::create_dir(&folder).map_err(LocalModelError::io("create", &folder))?;
        Ok(Self { folder })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        // A failure here is ignored; the next fetch tries again and reports it.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Moves a verified download to `destination` and records that it was verified.
pub(super) fn place(download: Download, destination: &Path) -> Result<(), LocalModelError> {
    let Download { path, sha256 } = download;
    // Windows syncs only files that are open for writing.
    let file = OpenOptions::new().write(true).open(&path);
    file.and_then(|file| file.sync_all()).map_err(LocalModelError::io("sync", &path))?;
    // Written before the file appears, so that the file need not be hashed. Moving keeps its
    // modification time.
    verify::note(&path, destination, &sha256)?;
    fs::rename(&path, destination).map_err(LocalModelError::io("move a download to", destination))?;
    // A folder can be synced on Unix only; elsewhere the system decides when the rename is on disk.
    #[cfg(unix)]
    if let Some(parent) = destination.parent() {
        let folder = fs::File::open(parent);
        folder.and_then(|folder| folder.sync_all()).map_err(LocalModelError::io("sync", parent))?;
    }
    Ok(())
}
