//! Files that are either complete or absent.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process,
};

/// Maximum temporary files of crashed runs that are left beside a file.
const MOST_LEFT: u32 = 1_000;

/// A file that is written under a temporary name, and gets its own when it is complete.
pub(crate) struct NewFile {
    path: PathBuf,
    temporary: PathBuf,
    /// `None` when it is complete.
    file: Option<BufWriter<File>>,
}

impl NewFile {
    /// Starts a file. One that is there already, or a link, is never written to.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let mut number = 0;
        loop {
            let mut temporary = path.as_os_str().to_owned();
            temporary.push(format!(".{}.{number}.tmp", process::id()));
            let temporary = PathBuf::from(temporary);
            match File::options().write(true).create_new(true).open(&temporary) {
                Ok(file) => {
                    return Ok(Self { path: path.to_owned(), temporary, file: Some(BufWriter::new(file)) });
                }
                // Left over by a crash.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < MOST_LEFT => {
                    number += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Moves the complete file to its path.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        let done = file
            .flush()
            .and_then(|()| file.get_ref().sync_all())
            .and_then(|()| fs::rename(&self.temporary, &self.path));
        if done.is_err() {
            // So that the incomplete file is removed.
            self.file = Some(file);
        }
        done
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // The file is incomplete.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}
