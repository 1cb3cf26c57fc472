//! The documents of a job that the lines of a gold set are about.
//!
//! A line with a `key` is about the document with that key. A line with a `path` is about a file: the
//! path is relative to the folder of the gold set, and the key of a document from a file is its path
//! as the user typed it, relative to the folder in which the program runs. Both name the document if
//! they lead to the same file.

use std::{
    env,
    path::{Component, Path, PathBuf, absolute},
};

use extract_gold::GoldDocument;

use crate::input::path_as_key;

/// Finds the keys of documents in a gold set.
pub(crate) struct GoldPaths {
    /// The folder of the gold set.
    folder: PathBuf,
    /// The folder in which the program runs, if it has one.
    here: Option<PathBuf>,
}

impl GoldPaths {
    /// The paths in the gold set that is the file `gold`.
    pub(crate) fn of(gold: &Path) -> Self {
        let folder = gold.parent().map(Path::to_owned).unwrap_or_default();
        Self { folder, here: env::current_dir().ok() }
    }

    /// Returns the keys that a job may have for a document, from the ways in which its file is named.
    pub(crate) fn keys(&self, document: &GoldDocument) -> Vec<String> {
        let (None, Some(path)) = (&document.key, &document.path) else {
            return vec![document.identity().to_owned()];
        };
        self.of_file(path)
    }

    /// Returns the keys that a job may have for a file, whose path is relative to the folder.
    pub(crate) fn of_file(&self, path: &Path) -> Vec<String> {
        let joined = self.folder.join(path);
        let mut keys = vec![path_as_key(&joined)];
        if let (Some(here), Ok(file)) = (&self.here, absolute(&joined)) {
            let file = resolved(&file);
            keys.extend([path_as_key(&relative(&resolved(here), &file)), path_as_key(&file)]);
        }
        keys
    }
}

/// Removes `.` and `..` by the words of an absolute path alone.
fn resolved(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                resolved.pop();
            }
            part => resolved.push(part),
        }
    }
    resolved
}

/// The way from a folder to a file, both absolute.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let same = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(same).map(|_| Component::ParentDir);
    up.chain(to.components().skip(same)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_path_has_the_keys_by_which_a_user_may_name_its_file() {
        let of = |folder: &str, path: &str| {
            let paths = GoldPaths { folder: folder.into(), here: Some("/home/ann/jobs".into()) };
            let mut document = GoldDocument::new("", Value::Null);
            document.path = Some(path.into());
            paths.keys(&document)
        };
        if cfg!(unix) {
            let keys = of("/home/ann/jobs/docs", "a.txt");
            assert_eq!(keys[1..], ["docs/a.txt", "/home/ann/jobs/docs/a.txt"]);
            assert_eq!(of("/home/ann/letters", "x/./a.txt")[1], "../letters/x/a.txt");
            assert_eq!(of("/home/ann/jobs/../letters", "a.txt")[1], "../letters/a.txt");
        }
        assert_eq!(of("./docs", "a.txt")[0], "docs/a.txt");
        let named = GoldDocument::new("", Value::Null).with_key("7");
        assert_eq!(GoldPaths::of(Path::new("gold.jsonl")).keys(&named), ["7"]);
    }
}
