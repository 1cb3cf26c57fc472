//! `extractable man`: manual pages.

use std::{
    fs::{self, File},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use clap::Command;
use clap_mangen::Man;
use extract_bulk::OutputFile;

use crate::{
    destination,
    error::{Exit, Failure, Outcome},
    output,
};

/// Print the manual page, or write one for each command
///
///   extractable man | man -l -
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ManArgs {
    /// Folder to write a page into for this program and for each of its commands
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Replace pages also if this program did not write them
    #[arg(long, requires = "out")]
    overwrite: bool,
}

/// First line of every page in a folder, a comment.
const MARK: &str = ".\\\" Written by `extractable man`.\n";

pub(crate) fn run(args: &ManArgs, command: Command) -> Outcome {
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        output::raw(&page)?;
        return Ok(Exit::Success);
    };
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    add(&mut pages, &command)?;
    if !folder.is_dir() {
        return Err(Failure::new(
            Exit::Storage,
            format!("the folder `{}` cannot be written: it is no folder", folder.display()),
        )
        .help("create it first, or correct the path"));
    }
    let pages: Vec<_> = pages.into_iter().map(|(name, page)| (folder.join(name), page)).collect();
    // All or none.
    for (path, _) in &pages {
        check(path, args.overwrite)?;
    }
    for (path, page) in &pages {
        write(path, page).map_err(|error| {
            Failure::new(Exit::Storage, format!("`{}` cannot be written: {error}", path.display()))
        })?;
    }
    Ok(Exit::Success)
}

/// Adds the page of `command`, and the pages of its commands.
fn add(pages: &mut Vec<(String, Vec<u8>)>, command: &Command) -> io::Result<()> {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        add(pages, command)?;
    }
    let man = Man::new(command.clone());
    let mut page = MARK.as_bytes().to_vec();
    man.render(&mut page)?;
    pages.push((man.get_filename(), page));
    Ok(())
}

/// Checks that a page may be written: to a new name, or over a page of this program.
fn check(path: &Path, overwrites: bool) -> Result<(), Failure> {
    let Some(file) = destination::regular(path, &[])? else { return Ok(()) };
    if overwrites || file.len() == 0 || is_page(path) {
        return Ok(());
    }
    Err(Failure::usage(format!("`{}` is there already, and this program did not write it", path.display()))
        .help("give another folder, or `--overwrite` to replace it"))
}

fn is_page(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MARK.len() as u64).read_to_end(&mut start));
    read.is_ok() && start == MARK.as_bytes()
}

fn write(path: &Path, page: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|there| there == page) {
        return Ok(());
    }
    let mut file = OutputFile::create(path)?;
    file.write_all(page)?;
    file.finish()
}
