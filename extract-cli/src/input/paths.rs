//! Expands names from the command line to files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::error::Failure;

/// The files that `name` stands for: the file itself, all files in a folder and its subfolders, or
/// those that match a pattern. They are sorted by name, so that a job meets its documents in the
/// same order each time.
pub(super) fn expanded(name: &str) -> Result<Vec<PathBuf>, Failure> {
    let path = Path::new(name);
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            let mut files = Vec::new();
            walk(path, &mut files).map_err(|(place, error)| {
                Failure::usage(format!("the folder `{}` cannot be read: {error}", shown(&place)))
            })?;
            if files.is_empty() {
                return Err(Failure::usage(format!("the folder `{name}` has no files"))
                    .help("hidden files and folders do not count"));
            }
            Ok(files)
        }
        Ok(_) => Ok(vec![path.to_owned()]),
        Err(_) if is_pattern(name) => matching(name),
        Err(error) => Err(Failure::usage(format!("`{name}` cannot be read: {error}"))),
    }
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

fn matching(pattern: &str) -> Result<Vec<PathBuf>, Failure> {
    let wrong =
        |error: &dyn std::fmt::Display| Failure::usage(format!("the pattern `{pattern}` is wrong: {error}"));
    let mut files = Vec::new();
    for found in glob::glob(pattern).map_err(|error| wrong(&error))? {
        let path = found.map_err(|error| wrong(&error))?;
        if path.is_file() {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(Failure::usage(format!("no file matches the pattern `{pattern}`"))
            .help("`*` stands for a part of a name, `**` for any folders"));
    }
    Ok(files)
}

/// Adds the files of `folder`, except hidden ones. Links to folders are not followed, so there are
/// no cycles.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), (PathBuf, io::Error)> {
    let at = |error| (folder.to_owned(), error);
    let mut entries = fs::read_dir(folder).map_err(at)?.collect::<Result<Vec<_>, _>>().map_err(at)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let path = entry.path();
        let kind = entry.file_type().map_err(at)?;
        if kind.is_dir() {
            walk(&path, files)?;
        } else if kind.is_file() || path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

/// A path as a key: the same on every system, without a leading `./`.
pub(super) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() };
    text.strip_prefix("./").map(str::to_owned).unwrap_or(text)
}
