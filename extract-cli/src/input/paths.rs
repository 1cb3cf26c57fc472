//! Expands names from the command line to files.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use glob::{MatchOptions, Pattern};

use crate::error::Failure;

/// Returns the files named by `name`: the file itself, all files in a folder and its subfolders, or
/// all matches of a pattern. They are sorted by name, so that a job meets its documents in the same
/// order each time. What else is in a folder, such as links that lead to folders or to nothing, is added to `left_out`.
pub(super) fn expanded(path: &Path, left_out: &mut Vec<PathBuf>) -> Result<Vec<PathBuf>, Failure> {
    let name = &path.to_str().map_or_else(|| shown(path), str::to_owned);
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            let mut files = Vec::new();
            walk(path, &mut files, left_out).map_err(|(place, error)| {
                Failure::usage(format!("the folder `{}` cannot be read: {error}", shown(&place)))
            })?;
            if files.is_empty() {
                return Err(Failure::usage(format!("the folder `{name}` has no files"))
                    .help("hidden files and folders do not count"));
            }
            Ok(files)
        }
        Ok(_) => Ok(vec![path.to_owned()]),
        Err(_) if path.to_str().is_some_and(is_pattern) => matching(name),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(Failure::usage(format!("the file or folder `{name}` is missing")))
        }
        Err(error) => Err(Failure::usage(format!("`{name}` cannot be read: {error}"))),
    }
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// Returns the files that match a pattern, sorted. The part before the first `*`, `?` or `[` may be
/// a link; after it, links to folders are not followed, as in a folder.
fn matching(pattern: &str) -> Result<Vec<PathBuf>, Failure> {
    let mut parts = Vec::new();
    for part in Path::new(pattern).components() {
        let text = part.as_os_str().to_string_lossy();
        let part = match &*text {
            "**" if parts.last().is_some_and(|last| matches!(last, PatternPart::Folders)) => continue,
            "**" => PatternPart::Folders,
            text if is_pattern(text) => PatternPart::Like(
                Pattern::new(text)
                    .map_err(|error| Failure::usage(format!("the pattern `{pattern}` is wrong: {error}")))?,
            ),
            _ => PatternPart::Named(part.as_os_str().to_owned()),
        };
        parts.push(part);
    }
    let mut files = BTreeSet::new();
    let first = parts.iter().take_while(|part| matches!(part, PatternPart::Named(_))).count();
    let start: PathBuf = parts[..first].iter().filter_map(PatternPart::name).collect();
    if !start.as_os_str().is_empty() && !start.exists() {
        return Err(Failure::usage(format!("the folder `{}` is missing", shown(&start)))
            .help(format!("the pattern `{pattern}` looks for files in it")));
    }
    find(&start, &parts[first..], &mut files).map_err(|(place, error)| {
        Failure::usage(format!("the folder `{}` cannot be read: {error}", shown(&place)))
    })?;
    if files.is_empty() {
        return Err(Failure::usage(format!("no file matches the pattern `{pattern}`")).help(
            "`*` stands for a part of a name, `**` for any folders; links to folders are not followed, and the dot of a \
             hidden name has to be written",
        ));
    }
    Ok(files.into_iter().collect())
}

/// A part of a pattern between two separators.
enum PatternPart {
    Named(OsString),
    Like(Pattern),
    /// `**`
    Folders,
}

impl PatternPart {
    fn name(&self) -> Option<&OsString> {
        match self {
            Self::Named(name) => Some(name),
            Self::Like(_) | Self::Folders => None,
        }
    }
}

/// A hidden file, such as `.env`, is sent to nobody unless its dot is written.
const AS_IN_A_SHELL: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: false,
    require_literal_leading_dot: true,
};

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Adds the files below `folder` that match `parts`.
fn find(
    folder: &Path,
    parts: &[PatternPart],
    files: &mut BTreeSet<PathBuf>,
) -> Result<(), (PathBuf, io::Error)> {
    let Some((part, rest)) = parts.split_first() else { return Ok(()) };
    if let PatternPart::Named(name) = part {
        return found(folder.join(name), rest, files);
    }
    if matches!(part, PatternPart::Folders) && !rest.is_empty() {
        find(folder, rest, files)?;
    }
    let place = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let at = |error| (place.to_owned(), error);
    let entries = match fs::read_dir(place) {
        Ok(entries) => entries.collect::<Result<Vec<_>, _>>().map_err(at)?,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(());
        }
        Err(error) => return Err(at(error)),
    };
    for entry in entries {
        let name = entry.file_name();
        match part {
            PatternPart::Like(pattern) if pattern.matches_with(&name.to_string_lossy(), AS_IN_A_SHELL) => {
                found(folder.join(name), rest, files)?;
            }
            PatternPart::Folders if !is_hidden(&name) && entry.file_type().map_err(at)?.is_dir() => {
                find(&folder.join(name), parts, files)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Adds a path that matches so far: a file at the end of the pattern, or what is below a folder.
fn found(
    path: PathBuf,
    rest: &[PatternPart],
    files: &mut BTreeSet<PathBuf>,
) -> Result<(), (PathBuf, io::Error)> {
    if rest.is_empty() {
        if path.is_file() {
            files.insert(path);
        }
        return Ok(());
    }
    let is_folder = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir());
    if is_folder { find(&path, rest, files) } else { Ok(()) }
}

/// Adds the files of `folder`, except hidden ones. Links to folders are not followed, so there are
/// no cycles; they, pipes and sockets are added to `left_out`.
fn walk(
    folder: &Path,
    files: &mut Vec<PathBuf>,
    left_out: &mut Vec<PathBuf>,
) -> Result<(), (PathBuf, io::Error)> {
    let at = |error| (folder.to_owned(), error);
    let mut entries = fs::read_dir(folder).map_err(at)?.collect::<Result<Vec<_>, _>>().map_err(at)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if is_hidden(&entry.file_name()) {
            continue;
        }
        let path = entry.path();
        let kind = entry.file_type().map_err(at)?;
        if kind.is_dir() {
            walk(&path, files, left_out)?;
        } else if kind.is_file() || path.is_file() {
            files.push(path);
        } else {
            left_out.push(path);
        }
    }
    Ok(())
}

/// A path as a key: the same on every system, without a leading `./`. Bytes that are not UTF-8 are
/// written as `\xE9`, so that two names are never one key.
pub(crate) fn shown(path: &Path) -> String {
    let mut text = String::new();
    for part in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        let valid = part.valid();
        text.push_str(&if cfg!(windows) { valid.replace('\\', "/") } else { valid.to_owned() });
        for byte in part.invalid() {
            // Writing to a string does not fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text.strip_prefix("./").map(str::to_owned).unwrap_or(text)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn names_that_are_not_utf_8_are_different_keys() {
        let key = |name: &[u8]| shown(Path::new(OsStr::from_bytes(name)));
        assert_eq!(key(b"./caf\xe9.txt"), "caf\\xE9.txt");
        assert_eq!(key(b"caf\xe8\xe9.txt"), "caf\\xE8\\xE9.txt");
        assert_eq!(key("café.txt".as_bytes()), "café.txt");
    }
}
