//! `extractable man`: manual pages.

use std::path::PathBuf;

use clap::Command;
use clap_mangen::Man;

use crate::{
    error::{Exit, Failure, Outcome},
    output,
};

/// Print the manual page, or write one for each command
///
///   extractable man | man -l -
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Folder to write a page into for this program and for each of its commands
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, command: Command) -> Outcome {
    match &args.out {
        None => {
            let mut page = Vec::new();
            Man::new(command).render(&mut page)?;
            output::raw(&page)?;
        }
        Some(folder) => clap_mangen::generate_to(command, folder).map_err(|error| {
            Failure::new(
                Exit::Storage,
                format!("the folder `{}` cannot be written: {error}", folder.display()),
            )
        })?,
    }
    Ok(Exit::Success)
}
