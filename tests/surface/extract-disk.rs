// lib.rs
pub use redb;
pub use self::open_copy::open_copy;
#[derive(Debug)]
pub enum DiskError {
    Damaged(String),
    Other(Box<Error>),
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileStart {
    Missing,
    Database,
    Damaged,
    Foreign,
}
pub fn file_start(path: &Path) -> io::Result<FileStart> {}
pub fn open(path: &Path, builder: &Builder) -> Result<Database, DiskError> {}
pub fn is_locked(path: &Path) -> bool {}
pub fn catch_damage<T, E: Into<Error>>(
    what: impl FnOnce() -> Result<T, E>,
) -> Result<T, DiskError> {}
pub fn is_catching_damage() -> bool {}
pub fn close(database: impl Sized) {}

// open_copy.rs
pub fn open_copy(path: &Path) -> Result<Database, DiskError> {}

