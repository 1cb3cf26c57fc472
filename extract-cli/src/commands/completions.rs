//! `extractable completions`: completions for shells.

use clap::Command;
use clap_complete::Shell;

use crate::{
    error::{Exit, Outcome},
    output,
};

/// Print the completions of a shell
///
///   extractable completions bash > ~/.local/share/bash-completion/completions/extractable
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs, mut command: Command) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "extractable", &mut script);
    output::raw(&script)?;
    Ok(Exit::Success)
}
