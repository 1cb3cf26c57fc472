//! Documents with a schema and the right answer.

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Debug, Deserialize)]
pub(crate) struct Document {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) instruction: String,
    pub(crate) json_schema: Value,
    pub(crate) gold: Map<String, Value>,
    #[serde(default)]
    pub(crate) gold_any: Map<String, Value>,
    /// The name of its file.
    #[serde(skip)]
    pub(crate) file: String,
}

impl Document {
    pub(crate) fn prompt(&self) -> String {
        format!("{}\n\n{}", self.instruction, self.text)
    }
}

/// The files in `benches/documents` of the repository.
pub(crate) fn of_repository() -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/documents");
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    Ok(files)
}

/// The first `limit` documents of each file.
pub(crate) fn first(files: &[PathBuf], limit: usize) -> Result<Vec<Document>, Box<dyn Error>> {
    load(files, |lines| &lines[..limit.min(lines.len())])
}

/// The last `limit` documents of each file.
pub(crate) fn last(files: &[PathBuf], limit: usize) -> Result<Vec<Document>, Box<dyn Error>> {
    load(files, |lines| &lines[lines.len().saturating_sub(limit)..])
}

fn load(
    files: &[PathBuf],
    choose: impl for<'l> Fn(&'l [&'l str]) -> &'l [&'l str],
) -> Result<Vec<Document>, Box<dyn Error>> {
    let mut documents = Vec::new();
    for file in files {
        let at = |error: &dyn Error| format!("{}: {error}", file.display());
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(file).map_err(|error| at(&error))?;
        let lines: Vec<_> = text.lines().collect();
        for line in choose(&lines) {
            let mut document: Document = serde_json::from_str(line).map_err(|error| at(&error))?;
            document.file.clone_from(&name);
            documents.push(document);
        }
    }
    Ok(documents)
}
