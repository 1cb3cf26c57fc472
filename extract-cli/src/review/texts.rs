//! The texts of the documents, in a temporary file: a job may have more of them than memory.

use std::{
    collections::HashMap,
    env,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::PathBuf,
    process,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

/// Texts by the key of the document. The file goes with this value.
#[derive(Debug)]
pub(crate) struct Texts {
    path: PathBuf,
    file: Mutex<File>,
    end: u64,
    places: HashMap<String, (u64, usize)>,
}

impl Texts {
    /// Creates an empty file that only this user can read.
    pub(crate) fn new() -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = env::temp_dir().join(format!("extractable-review-{}-{number}", process::id()));
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            match options.open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                opened => {
                    let file = Mutex::new(opened?);
                    // Without a name already, it goes with the process, however that ends.
                    #[cfg(unix)]
                    fs::remove_file(&path)?;
                    return Ok(Self { path, file, end: 0, places: HashMap::new() });
                }
            }
        }
    }

    /// Adds the text of a document. Of several with the same key the first one counts.
    pub(crate) fn add(&mut self, key: String, text: &str) -> io::Result<()> {
        if self.places.contains_key(&key) {
            return Ok(());
        }
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.end))?;
        file.write_all(text.as_bytes())?;
        self.places.insert(key, (self.end, text.len()));
        self.end += text.len() as u64;
        Ok(())
    }

    /// Returns the text of a document; `None` if it was not added.
    pub(super) fn get(&self, key: &str) -> io::Result<Option<String>> {
        let Some(&(start, length)) = self.places.get(key) else { return Ok(None) };
        let mut bytes = vec![0; length];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        String::from_utf8(bytes).map(Some).map_err(io::Error::other)
    }

    /// Returns whether there is a text for a document.
    pub(super) fn have(&self, key: &str) -> bool {
        self.places.contains_key(key)
    }
}

impl Drop for Texts {
    fn drop(&mut self) {
        if cfg!(not(unix)) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_their_keys() {
        let mut texts = Texts::new().unwrap();
        for (key, text) in [("a", "é\0"), ("b", ""), ("a", "another")] {
            texts.add(key.to_owned(), text).unwrap();
        }
        let of = |key| texts.get(key).unwrap();
        assert_eq!((of("a").as_deref(), of("b").as_deref(), of("c")), (Some("é\0"), Some(""), None));
        assert!(texts.have("b") && !texts.have("c"));
        let path = texts.path.clone();
        drop(texts);
        assert!(!path.exists());
    }
}
