//! Records who has a journal open.

use std::{
    env, fmt,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process, thread,
    time::{Duration, SystemTime},
};

use redb::backends::FileBackend;
use serde::{Deserialize, Serialize};

/// A process that has a journal open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Holder {
    /// Its process ID.
    pub process: u32,
    /// The name of its program.
    pub program: String,
    /// The name of its machine, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Since when.
    pub since: SystemTime,
}

impl Holder {
    fn this() -> Self {
        let program = env::current_exe().ok();
        let program =
            program.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let kernel = || fs::read_to_string("/proc/sys/kernel/hostname").ok();
        let host = env::var("HOSTNAME").ok().or_else(kernel).map(|name| name.trim().to_owned());
        let host = host.filter(|name| !name.is_empty());
        Self { process: process::id(), program: program.unwrap_or_default(), host, since: SystemTime::now() }
    }
}

/// `process 4711 (invoices) on worker-3, for 12 s`
impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} ({})", self.process, self.program)?;
        if let Some(host) = &self.host {
            write!(f, " on {host}")?;
        }
        // The clock may have been set back.
        let time = self.since.elapsed().unwrap_or(Duration::ZERO);
        write!(f, ", for {} s", time.as_secs())
    }
}

/// A file beside the journal that says who has it open, because others cannot read the journal
/// itself.
///
/// It is for information only. The lock is held on the journal, so a file left over by a crash does
/// no harm.
#[derive(Debug)]
pub(super) struct OwnerFile {
    /// `None` if it could not be written.
    path: Option<PathBuf>,
}

impl OwnerFile {
    fn path(journal: &Path) -> PathBuf {
        let mut name = journal.as_os_str().to_owned();
        name.push(".owner");
        PathBuf::from(name)
    }

    pub(super) fn write(journal: &Path) -> Self {
        let path = Self::path(journal);
        // Without this file, only the message is less precise.
        Self { path: Self::replace(journal, &path).is_ok().then_some(path) }
    }

    /// Only an earlier file of this kind is replaced, and no link is followed.
    fn replace(journal: &Path, path: &Path) -> io::Result<()> {
        let is_file = fs::symlink_metadata(path).is_ok_and(|file| file.is_file());
        if is_file && Self::read(journal).is_some() {
            fs::remove_file(path)?;
        }
        let mut file = File::options().write(true).create_new(true).open(path)?;
        file.write_all(&serde_json::to_vec(&Holder::this())?)
    }

    pub(super) fn read(journal: &Path) -> Option<Holder> {
        serde_json::from_slice(&fs::read(Self::path(journal)).ok()?).ok()
    }

    /// Returns whether anybody [is copying](Copying) the journal.
    pub(super) fn is_copied(&self) -> bool {
        // On Windows, a locked file could not be read.
        cfg!(unix) && self.path.as_deref().is_some_and(extract_disk::is_locked)
    }
}

/// Says to the process that has the journal open that it is being copied, by a lock on the file that
/// says who it is. The lock is gone when this process is.
#[derive(Debug)]
pub(super) struct Copying {
    _locked: Option<FileBackend>,
}

impl Copying {
    /// Waits a moment for another process that is copying it.
    pub(super) fn start(journal: &Path) -> Self {
        let path = OwnerFile::path(journal);
        for _ in 0..if cfg!(unix) { TRIES } else { 0 } {
            let Ok(file) = File::open(&path) else { break };
            if let Ok(locked) = FileBackend::new(file) {
                return Self { _locked: Some(locked) };
            }
            thread::sleep(BETWEEN);
        }
        // Without it, the copy may have to be made again.
        Self { _locked: None }
    }
}

/// How often the lock is tried, and the time between two tries.
const TRIES: u32 = 20;
const BETWEEN: Duration = Duration::from_millis(10);

impl Drop for OwnerFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}
