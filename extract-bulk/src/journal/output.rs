//! Files that are either complete or absent.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process,
};

/// Maximum temporary files of crashed runs that are left beside a file.
const MOST_LEFT: u32 = 1_000;

/// A file that is either complete or absent: it is written under a temporary name, and gets its own
/// when it is complete. For outputs of your own, such as one written from a
/// [`Journal`](super::Journal).
///
/// ```
/// use std::io::Write as _;
/// use extract_bulk::OutputFile;
/// # let path = std::env::temp_dir().join(format!("extract-doc-output-{}.csv", std::process::id()));
///
/// let mut file = OutputFile::create(&path)?;
/// writeln!(file, "key,total")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "key,total\n");
/// # std::fs::remove_file(path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    temporary: PathBuf,
    /// `None` when it is complete.
    file: Option<BufWriter<File>>,
}

impl OutputFile {
    /// Begins a file that will be at `path`. It is written beside it, to `path.PROCESS.NUMBER.tmp`.
    ///
    /// # Errors
    ///
    /// If the temporary file cannot be created. One that is there already, or a link, is never
    /// written to.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let (file, temporary) = Self::temporary(path)?;
        Ok(Self { path: path.to_owned(), temporary, file: Some(BufWriter::new(file)) })
    }

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

    /// Syncs the complete file and moves it to its path, over a file that is there.
    ///
    /// # Errors
    ///
    /// If it cannot be written or moved. Then the temporary file is removed, and what is at the path
    /// stays.
    pub fn finish(mut self) -> io::Result<()> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        let done = file
            .flush()
            .and_then(|()| file.get_ref().sync_all())
            .and_then(|()| fs::rename(&self.temporary, &self.path));
        if let Err(error) = done {
            // So that the incomplete file is removed.
            self.file = Some(file);
            return Err(error);
        }
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
