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
    /// JSON array of objects, see --text and --key
    Json,
    /// Values with a header, separated by commas or semicolons, see --text and --key
    Csv,
    /// Tab-separated values with a header
    Tsv,
    /// Parquet, see --text and --key
    Parquet,
    /// Excel or OpenDocument workbook whose first row is the header, see --sheet, --text and --key
    #[value(alias = "ods", alias = "xlsm")]
    Xlsx,
    /// Word document
    #[value(alias = "docm")]
    Docx,
    /// E-mail
    Eml,
}

impl Format {
    /// The format by a file's extension. For `.json`, see [`content`](super::array::content).
    pub(super) fn of(path: &Path) -> Self {
        match ending(path).as_str() {
            "jsonl" | "ndjson" => Self::Jsonl,
            "csv" => Self::Csv,
            "tsv" => Self::Tsv,
            "parquet" => Self::Parquet,
            "xlsx" | "xlsm" | "xltx" | "ods" if cfg!(feature = "office") => Self::Xlsx,
            "docx" | "docm" | "dotx" if cfg!(feature = "office") => Self::Docx,
            "eml" if cfg!(feature = "office") => Self::Eml,
            _ => Self::Text,
        }
    }

    /// Returns whether one input may hold many documents.
    pub(super) fn is_records(self) -> bool {
        !matches!(self, Self::Text | Self::Docx | Self::Eml)
    }

    /// Returns whether the feature `office` reads this format.
    pub(super) fn is_office(self) -> bool {
        matches!(self, Self::Xlsx | Self::Docx | Self::Eml)
    }
}

/// Returns the extension of a file in lower case; empty without an extension.
pub(super) fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}
