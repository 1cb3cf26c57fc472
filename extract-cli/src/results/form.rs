//! The forms of results.

use std::path::Path;

use crate::{error::Failure, install::install};

/// The form of a file with results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Form {
    /// JSON Lines: the lines that `run` writes, in the order of the documents
    #[value(alias = "results", alias = "ndjson")]
    Jsonl,
    /// The same lines as one JSON array
    Json,
    /// Comma-separated values: key, status, error, a column for each leaf of the values, and their --meta. Also
    /// values that a spreadsheet takes for formulas are as they are
    Csv,
    /// The same table in Markdown
    #[value(alias = "markdown")]
    Md,
    /// The rows that `run` writes to Parquet; needs --out and --schema
    Parquet,
    /// JSON Lines with all that is known: metrics, changes, warnings, every attempt at what failed
    Everything,
}

impl Form {
    /// The form by the ending of `path`; JSON Lines if it has none.
    pub(crate) fn of(path: &Path) -> Result<Self, Failure> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let form = match &*ending {
            "" | "jsonl" | "ndjson" => Self::Jsonl,
            "json" => Self::Json,
            "csv" => Self::Csv,
            "md" | "markdown" => Self::Md,
            "parquet" => Self::Parquet,
            _ => {
                let shown = path.display();
                return Err(Failure::usage(format!(
                    "`{shown}` ends in .{ending}, which says nothing about the form of results"
                ))
                .help("the known endings are .jsonl, .json, .csv, .parquet and .md; without one it is JSON Lines"));
            }
        };
        form.is_built()?;
        Ok(form)
    }

    /// Checks that this build has the form.
    pub(crate) fn is_built(self) -> Result<(), Failure> {
        if self == Self::Parquet && cfg!(not(feature = "parquet")) {
            return Err(Failure::usage("this build does not write Parquet")
                .help(concat!("install it with: ", install!("parquet"))));
        }
        Ok(())
    }
}
