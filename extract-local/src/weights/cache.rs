//! The folder of the weights, and its lock.

use std::{
    env,
    ffi::OsString,
    fs::File,
    path::{Path, PathBuf},
};

use fs4::{FileExt, TryLockError};

use super::{progress, verify::beside};
use crate::error::LocalModelError;

/// The cache folder; it need not exist.
pub(super) fn folder() -> Result<PathBuf, LocalModelError> {
    folder_from(|name| env::var_os(name)).ok_or(LocalModelError::NoCacheFolder)
}

fn folder_from(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(own) = path("EXTRACT_CACHE") {
        return Some(own);
    }
    // The XDG base directory specification says to ignore relative paths.
    if let Some(xdg) = path("XDG_CACHE_HOME").filter(|path| path.is_absolute()) {
        return Some(xdg.join("extractable"));
    }
    let caches = if cfg!(windows) {
        path("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        path("HOME")?.join("Library/Caches")
    } else {
        path("HOME")?.join(".cache")
    };
    Some(caches.join("extractable"))
}

/// Held by the process (and thread) that fetches a file. The system releases it when the process
/// ends; the empty lock file stays.
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits while another process fetches `destination`.
    pub(super) fn acquire(destination: &Path) -> Result<Self, LocalModelError> {
        let path = beside(destination, ".lock");
        let file = File::create(&path).map_err(LocalModelError::io("create", &path))?;
        match FileExt::try_lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let waiting =
                    progress::spinner(format!("waiting for another fetch of {}", destination.display()));
                FileExt::lock(&file).map_err(LocalModelError::io("lock", &path))?;
                waiting.finish_and_clear();
            }
            Err(TryLockError::Error(error)) => return Err(LocalModelError::io("lock", &path)(error)),
        }
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(variables: &[(&str, &str)]) -> Option<PathBuf> {
        folder_from(|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn the_own_variable_wins_over_xdg_and_home() {
        let all = [("EXTRACT_CACHE", "/own"), ("XDG_CACHE_HOME", "/xdg"), ("HOME", "/home/ada")];
        assert_eq!(folder_with(&all), Some("/own".into()));
        assert_eq!(folder_with(&all[1..]), Some("/xdg/extractable".into()));
    }

    #[cfg(all(unix, not(target_os = "macos")))]
    #[test]
    fn empty_and_relative_variables_are_passed_over() {
        let variables = [("EXTRACT_CACHE", ""), ("XDG_CACHE_HOME", "relative"), ("HOME", "/home/ada")];
        assert_eq!(folder_with(&variables), Some("/home/ada/.cache/extractable".into()));
        assert_eq!(folder_with(&[]), None);
    }
}
