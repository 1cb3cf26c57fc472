//! Reads the schema of a command.

use std::{
    fs,
    path::{Path, PathBuf},
};

use extract::Contract;
use serde_json::Value;

use crate::error::Failure;

/// Where the schema is.
#[derive(Debug, clap::Args)]
pub(crate) struct SchemaArgs {
    /// JSON Schema (2020-12) that every value has to satisfy, or types as `extractable schema` prints them
    #[arg(short, long, value_name = "FILE")]
    schema: PathBuf,
}

impl SchemaArgs {
    pub(crate) fn contract(&self) -> Result<Contract, Failure> {
        contract(&self.schema)
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.schema
    }

    /// The name of the file without folder and extension.
    pub(crate) fn name(&self) -> String {
        self.schema.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Reads and compiles the schema in `path`.
pub(crate) fn contract(path: &Path) -> Result<Contract, Failure> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::usage(format!("the schema `{shown}` cannot be read: {error}"))
            .help("`--schema` takes the path of a file with a JSON Schema or types")
    })?;
    let text = text.trim_start_matches('\u{feff}');
    if is_types(text) {
        return Contract::from_types(text).map_err(|error| {
            Failure::usage(format!("`{shown}`: {error}"))
                .help("types are written as `extractable schema invoice.json` prints them for a JSON Schema")
        });
    }
    let schema: Value = serde_json::from_str(text).map_err(|error| {
        Failure::usage(format!("the schema `{shown}` is not JSON: {error}"))
            .help("`--schema` takes a JSON Schema, or types; YAML has to be converted first")
    })?;
    Contract::from_schema(schema).map_err(|error| {
        Failure::usage(format!("`{shown}`: {error}"))
            .help("the schema has to be JSON Schema 2020-12 without references to other files")
    })
}

/// Whether `text` starts like types. JSON never starts with any of these.
fn is_types(text: &str) -> bool {
    let start = text.trim_start();
    ["type ", "interface ", "export ", "declare ", "//", "/*"].iter().any(|word| start.starts_with(word))
}
