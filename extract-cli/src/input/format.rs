//! The format of an input.

use std::path::Path;

/// What an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// One document each: text, Markdown, HTML, an image or a PDF
    Text,
    /// A document on every line that is not empty
    Lines,
    /// JSON Lines: an object on every line, see --text and --key
    #[value(alias = "ndjson")]
    Jsonl,
    /// Values with a header, separated by commas or semicolons, see --text and --key
    Csv,
    /// Tab-separated values with a header
    Tsv,
    /// Parquet, see --text and --key
    Parquet,
}

impl Format {
    /// The format by a file's extension.
    pub(super) fn of(path: &Path) -> Self {
        match ending(path).as_str() {
            "jsonl" | "ndjson" => Self::Jsonl,
            "csv" => Self::Csv,
            "tsv" => Self::Tsv,
            "parquet" => Self::Parquet,
            _ => Self::Text,
        }
    }

    /// Whether one input may hold many documents.
    pub(super) fn is_records(self) -> bool {
        self != Self::Text
    }
}

/// The extension of a file in lower case; empty if there is none.
pub(super) fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}
