//! The file of a store, which may be damaged.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use extract::agent::StoreError;
use extract_disk::{DiskError, FileStart, catch_damage, close};
use redb::{Builder, Database, Error};

/// Maximum number of damaged files that are kept beside the one in use.
const MOST_ASIDE: u32 = 1_000;

/// A file with an open database, which is replaced if it turns out to be damaged.
pub(super) struct File {
    path: PathBuf,
    state: Mutex<StoreState>,
}

/// Why a [`RedbStore`](super::RedbStore) could not be opened.
#[derive(Debug)]
pub struct OpenStoreError {
    message: String,
}

impl fmt::Display for OpenStoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for OpenStoreError {}

struct StoreState {
    /// `None` if a damaged database could not be replaced.
    database: Option<Arc<Database>>,
    moved_aside: Vec<PathBuf>,
    /// A report that no caller has seen yet.
    unreported: Option<String>,
}

impl File {
    pub(super) fn open(path: &Path) -> Result<Self, OpenStoreError> {
        let opened = |error: &dyn fmt::Display| OpenStoreError {
            message: format!("the cache `{}` cannot be opened: {error}", path.display()),
        };
        let start = extract_disk::file_start(path).map_err(|error| opened(&error))?;
        if start == FileStart::Foreign {
            return Err(opened(&"it is another kind of file; name another one, or delete it"));
        }
        let state = StoreState { database: None, moved_aside: Vec::new(), unreported: None };
        let file = Self { path: path.to_owned(), state: Mutex::new(state) };
        let database = match start {
            FileStart::Damaged => Err(DiskError::Damaged("its header makes no sense".to_owned())),
            _ => extract_disk::open(path, &Builder::new()),
        };
        match database {
            Ok(database) => file.locked().database = Some(Arc::new(database)),
            Err(DiskError::Other(error)) => return Err(opened(&error)),
            Err(DiskError::Damaged(damage)) => {
                let mut state = file.locked();
                let report = file.replace(&mut state, &damage);
                let report = report.map_err(|error| OpenStoreError { message: error.to_string() })?;
                state.unreported = Some(report);
            }
        }
        Ok(file)
    }

    pub(super) fn moved_aside(&self) -> Vec<PathBuf> {
        self.locked().moved_aside.clone()
    }

    /// Runs `what` on the database. If the database is damaged, another one replaces it, and the
    /// error says so.
    pub(super) fn with<T>(&self, what: impl FnOnce(&Database) -> Result<T, Error>) -> Result<T, StoreError> {
        let database = {
            let mut state = self.locked();
            if let Some(report) = state.unreported.take() {
                return Err(report.into());
            }
            let closed =
                || format!("the cache `{}` was damaged and could not be replaced", self.path.display());
            state.database.clone().ok_or_else(closed)?
        };
        let used = Arc::clone(&database);
        // The database is dropped inside: if this is the last handle, dropping it writes.
        let damage = match catch_damage(move || what(&used)) {
            Ok(result) => return Ok(result),
            Err(DiskError::Other(error)) => return Err((*error).into()),
            Err(DiskError::Damaged(damage)) => damage,
        };
        let mut state = self.locked();
        let is_current = state.database.as_ref().is_some_and(|current| Arc::ptr_eq(current, &database));
        close(database);
        if !is_current {
            return Err(format!("the cache is damaged: {damage}").into());
        }
        Err(self.replace(&mut state, &damage)?.into())
    }

    fn locked(&self) -> MutexGuard<'_, StoreState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the damaged file aside and starts another one; returns the report.
    fn replace(&self, state: &mut StoreState, damage: &str) -> Result<String, StoreError> {
        if let Some(database) = state.database.take() {
            close(database);
        }
        let path = self.path.display();
        let cannot = |error: &dyn fmt::Display| -> StoreError {
            format!("the cache `{path}` is damaged ({damage}), and cannot be moved aside: {error}").into()
        };
        let aside = free_name(&self.path).ok_or_else(|| cannot(&"there are too many beside it"))?;
        fs::rename(&self.path, &aside).map_err(|error| cannot(&error))?;
        let report = format!(
            "the cache `{path}` was damaged ({damage}); it is now `{}`, and a new one was started",
            aside.display()
        );
        state.moved_aside.push(aside);
        match extract_disk::open(&self.path, &Builder::new()) {
            Ok(database) => state.database = Some(Arc::new(database)),
            Err(DiskError::Damaged(error)) => return Err(format!("{report}, but: {error}").into()),
            Err(DiskError::Other(error)) => return Err(format!("{report}, but: {error}").into()),
        }
        Ok(report)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        if let Some(database) = self.locked().database.take() {
            close(database);
        }
    }
}

/// The first free name beside `path`.
fn free_name(path: &Path) -> Option<PathBuf> {
    let name = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".damaged-{number}"));
        PathBuf::from(name)
    };
    (1..=MOST_ASIDE).map(name).find(|name| fs::symlink_metadata(name).is_err())
}
