//! Where results may be written: to a regular file or a new name, and never over what is read.

use std::{
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
};

use crate::{
    error::{Exit, Failure},
    own,
};

/// Checks that results may replace `out`: a new name, or a file that this program wrote, unless
/// `overwrites`; and none of `used`, which are read or written otherwise.
pub(crate) fn check(out: &Path, overwrites: bool, used: &[&Path]) -> Result<(), Failure> {
    let Some(file) = regular(out, used)? else { return Ok(()) };
    let is_ours = |out| Ok(file.len() == 0 || own::is_results(&mut File::open(out)?)?);
    let is_ours =
        is_ours(out).map_err(|error: io::Error| Failure::usage(format!("`{}`: {error}", out.display())))?;
    if is_ours || overwrites {
        return Ok(());
    }
    Err(Failure::usage(format!("`{}` is there already, and this program did not write it", out.display()))
        .help("give another name, or `--overwrite` to replace it"))
}

/// Checks that `path` is a regular file, or a new name, and not one of `used`. Returns the metadata
/// of the file.
pub(crate) fn regular(path: &Path, used: &[&Path]) -> Result<Option<Metadata>, Failure> {
    let shown = path.display();
    let file = match fs::symlink_metadata(path) {
        Ok(file) if file.is_file() => Some(file),
        Ok(file) => {
            let (what, help) = match file.file_type() {
                kind if kind.is_dir() => ("a folder", "name a file in it"),
                kind if kind.is_symlink() => ("a link", "name the file that it leads to"),
                _ => ("a device, a pipe or a socket", "name a file, or write to the standard output with -"),
            };
            return Err(Failure::usage(format!("`{shown}` is {what}, not a file")).help(help));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(why) = missing_folder(path) {
                return Err(Failure::new(Exit::Storage, format!("`{shown}` cannot be written: {why}"))
                    .help("create it first, or correct the path"));
            }
            None
        }
        Err(error) => return Err(Failure::usage(format!("`{shown}` cannot be written: {error}"))),
    };
    let files = Files::of([path]);
    let Some(used) = used.iter().find(|used| files.have(used)) else { return Ok(file) };
    let name = if **used == *path { String::new() } else { format!(", as `{}`", used.display()) };
    Err(Failure::usage(format!("`{shown}` is used here too{name}"))
        .help("results and journals have files of their own; this is another file"))
}

/// Why a file cannot be there: its folder is missing.
pub(crate) fn missing_folder(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists())?;
    Some(format!("the folder `{}` is missing", folder.display()))
}

/// A set of files that recognises them under other names too.
pub(crate) struct Files {
    places: Vec<PathBuf>,
    #[cfg(unix)]
    nodes: Vec<(u64, u64)>,
}

impl Files {
    pub(crate) fn of<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Self {
        let paths: Vec<&Path> = paths.into_iter().collect();
        Self {
            #[cfg(unix)]
            nodes: paths.iter().filter_map(|path| node(path)).collect(),
            places: paths.into_iter().filter_map(place).collect(),
        }
    }

    /// Returns whether `path` is in the set.
    pub(crate) fn have(&self, path: &Path) -> bool {
        #[cfg(unix)]
        if !self.nodes.is_empty() && node(path).is_some_and(|node| self.nodes.contains(&node)) {
            return true;
        }
        let name = path.file_name();
        // Only a file of the same name needs more than a look at the name, but for links.
        let is_named = |place: &PathBuf| place.file_name() == name || cfg!(not(unix));
        self.places.iter().any(is_named) && place(path).is_some_and(|place| self.places.contains(&place))
    }
}

/// The absolute path without links; also of a file that is not there yet.
fn place(path: &Path) -> Option<PathBuf> {
    if let Ok(path) = fs::canonicalize(path) {
        return Some(path);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    Some(fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?.join(path.file_name()?))
}

/// The device and number of a file, which it has under each of its names.
#[cfg(unix)]
fn node(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;

    let file = fs::metadata(path).ok()?;
    Some((file.dev(), file.ino()))
}
