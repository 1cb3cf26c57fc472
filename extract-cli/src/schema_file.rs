//! Reads the schema of a command.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgGroup};
use extract::Contract;
use serde_json::Value;

use crate::{error::Failure, example_schema, fields};

/// Where the schema is.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct SchemaArgs {
    /// JSON Schema (2020-12) that every value has to satisfy, or types as `extractable schema` prints them
    #[arg(short, long, value_name = "FILE")]
    schema: Option<PathBuf>,

    /// The schema as a line of names, each with a type if it is not text: 'name, age int, paid? bool'. Types are text, int,
    /// number, bool, date and list; ? marks what may be missing
    #[arg(long, value_name = "LINE")]
    fields: Option<String>,
}

/// Lets a command have no schema, because documents may have their own.
pub(crate) fn optional(schema: ArgGroup) -> ArgGroup {
    schema.required(false)
}

/// Says what is the schema where it is [`optional`].
pub(crate) fn or_of_document(schema: Arg) -> Arg {
    schema.help(
        "JSON Schema (2020-12) that every value has to satisfy, or types as `extractable schema` prints them. Without it: the \
         `schema` of each document",
    )
}

impl SchemaArgs {
    pub(crate) fn contract(&self) -> Result<Contract, Failure> {
        // The command line has one of them, unless it is `optional`.
        self.given()?
            .ok_or_else(|| Failure::usage("no schema is given").help("give `--schema` or `--fields`"))
    }

    /// The contract, if there is one.
    pub(crate) fn given(&self) -> Result<Option<Contract>, Failure> {
        match (&self.schema, &self.fields) {
            (Some(path), _) => contract(path).map(Some),
            (None, line) => line.as_deref().map(of_fields).transpose(),
        }
    }

    /// The file, if there is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.schema.as_deref()
    }

    /// The name of the file without folder and extension.
    pub(crate) fn name(&self) -> String {
        let Some(path) = &self.schema else { return "fields".to_owned() };
        path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// The contract of the fields in a line.
pub(crate) fn of_fields(line: &str) -> Result<Contract, Failure> {
    Contract::from_schema(fields::schema(line)?)
        .map_err(|error| Failure::usage(format!("`--fields`: {error}")))
}

/// The contract of values like the example in `path`; - for the standard input.
pub(crate) fn of_example(path: &Path) -> Result<Contract, Failure> {
    let shown = path.display();
    let text =
        if path.as_os_str() == "-" { io::read_to_string(io::stdin()) } else { fs::read_to_string(path) };
    let text =
        text.map_err(|error| Failure::usage(format!("the example `{shown}` cannot be read: {error}")))?;
    let example: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
        Failure::usage(format!("the example `{shown}` is not JSON: {error}"))
            .help("`--from` takes a file with one value, as you want it from a document")
    })?;
    Contract::from_schema(example_schema::schema(&example))
        .map_err(|error| Failure::usage(format!("`{shown}`: {error}")))
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
    let has_keyword = ["type", "properties", "items", "enum", "anyOf", "$ref"]
        .iter()
        .any(|name| schema.get(name).is_some());
    Contract::from_schema(schema).map_err(|error| {
        Failure::usage(format!("`{shown}`: {error}")).help(if has_keyword {
            "the schema has to be JSON Schema 2020-12 without references to other files".to_owned()
        } else {
            format!("`extractable schema --from {shown}` makes a schema of an example")
        })
    })
}

/// Returns whether `text` starts like types. JSON never starts with any of these.
fn is_types(text: &str) -> bool {
    let start = text.trim_start();
    ["type ", "interface ", "export ", "declare ", "//", "/*"].iter().any(|word| start.starts_with(word))
}
