//! Files that are either complete or absent.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process,
};

/// Maximum temporary files of crashed runs that are left beside a file.
const MOST_LEFT: u32 = 1_000;

/// A file that is written under a temporary name and renamed when it is complete.
#[derive(Debug)]
pub(in crate::bulk) struct OutputFile {
    path: PathBuf,
    temporary: PathBuf,
    file: Option<BufWriter<File>>,
}

impl OutputFile {
    pub(in crate::bulk) fn create(path: &Path) -> io::Result<Self> {
        let (file, temporary) = Self::temporary(path)?;
        Ok(Self { path: path.to_owned(), temporary, file: Some(BufWriter::new(file)) })
    }

    /// A new file beside `path`. One that is there already, or a link, is never written to.
    fn temporary(path: &Path) -> io::Result<(File, PathBuf)> {
        let mut number = 0;
        loop {
            let mut temporary = path.as_os_str().to_owned();
            temporary.push(format!(".{}.{number}.tmp", process::id()));
            let temporary = PathBuf::from(temporary);
            match File::options().write(true).create_new(true).open(&temporary) {
                Ok(file) => return Ok((file, temporary)),
                // Left over by a crash.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < MOST_LEFT => {
                    number += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Syncs the file and moves it to its final path.
    pub(in crate::bulk) fn finish(mut self) -> io::Result<()> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&self.temporary, &self.path)?;
        // The folder holds the name; not every system can sync a folder.
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // The file is incomplete.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}
