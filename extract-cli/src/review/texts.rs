//! The documents, in a temporary file: a job may have more of them than memory.

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

/// Documents by their keys, texts and others. The file goes with this value.
#[derive(Debug)]
pub(crate) struct DocumentTexts {
    path: PathBuf,
    file: Mutex<File>,
    end: u64,
    places: HashMap<String, StoredDocument>,
}

/// A document in the file.
#[derive(Debug, Clone, Copy)]
struct StoredDocument {
    start: u64,
    length: usize,
    /// What it is, unless it is a text.
    media_type: Option<&'static str>,
}

impl DocumentTexts {
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
        self.store(key, text.as_bytes(), None)
    }

    /// Adds a document that is not a text.
    pub(crate) fn add_media(
        &mut self,
        key: String,
        bytes: &[u8],
        media_type: &'static str,
    ) -> io::Result<()> {
        self.store(key, bytes, Some(media_type))
    }

    fn store(&mut self, key: String, bytes: &[u8], media_type: Option<&'static str>) -> io::Result<()> {
        if self.places.contains_key(&key) {
            return Ok(());
        }
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.end))?;
        file.write_all(bytes)?;
        self.places.insert(key, StoredDocument { start: self.end, length: bytes.len(), media_type });
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Returns the text of a document; `None` if it was not added, or is not a text.
    pub(super) fn get(&self, key: &str) -> io::Result<Option<String>> {
        match self.places.get(key) {
            Some(stored) if stored.media_type.is_none() => {
                String::from_utf8(self.read(*stored)?).map(Some).map_err(io::Error::other)
            }
            _ => Ok(None),
        }
    }

    /// Returns what a document is that is not a text.
    pub(super) fn media_type(&self, key: &str) -> Option<&'static str> {
        self.places.get(key)?.media_type
    }

    /// Returns an image that every browser shows, with its media type; `None` for other documents.
    pub(super) fn image(&self, key: &str) -> io::Result<Option<(&'static str, Vec<u8>)>> {
        match self.places.get(key) {
            Some(stored @ StoredDocument { media_type: Some(media_type), .. }) if is_image(media_type) => {
                Ok(Some((media_type, self.read(*stored)?)))
            }
            _ => Ok(None),
        }
    }

    fn read(&self, StoredDocument { start, length, .. }: StoredDocument) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns whether a document was added.
    pub(super) fn have(&self, key: &str) -> bool {
        self.places.contains_key(key)
    }
}

/// Returns whether every browser shows it as an image, and runs nothing in it.
pub(super) fn is_image(media_type: &str) -> bool {
    matches!(media_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp")
}

impl Drop for DocumentTexts {
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
        let mut texts = DocumentTexts::new().unwrap();
        for (key, text) in [("a", "é\0"), ("b", ""), ("a", "another")] {
            texts.add(key.to_owned(), text).unwrap();
        }
        let of = |texts: &DocumentTexts, key| texts.get(key).unwrap();
        assert_eq!(of(&texts, "a").as_deref(), Some("é\0"));
        assert_eq!((of(&texts, "b").as_deref(), of(&texts, "c")), (Some(""), None));
        assert!(texts.have("b") && !texts.have("c"));
        texts.add_media("d".to_owned(), b"\x89PNG", "image/png").unwrap();
        texts.add_media("e".to_owned(), b"%PDF", "application/pdf").unwrap();
        assert_eq!(texts.image("d").unwrap(), Some(("image/png", b"\x89PNG".to_vec())));
        assert_eq!((texts.get("d").unwrap(), texts.media_type("d")), (None, Some("image/png")));
        assert_eq!((texts.image("e").unwrap(), texts.image("a").unwrap()), (None, None));
        let path = texts.path.clone();
        drop(texts);
        assert!(!path.exists());
    }
}
