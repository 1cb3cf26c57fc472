//! The files that a job writes.

use std::path::Path;

use super::Bulk;
#[cfg(feature = "parquet")]
use crate::confidence_columns::ParquetColumns;
use crate::output::JobOutput;

impl<'a, T: 'a, C: 'a> Bulk<'a, T, C> {
    /// Writes the outcome of every document to `path` when the job is complete: one line of JSON
    /// each, in the order of the source. The lines go to a temporary file that then replaces
    /// `path`, so the file is either complete or absent. They are derived from the journal, so they
    /// do not depend on how often the job was interrupted.
    ///
    /// A line has `key`, `status` (`done`, `in_part` or `failed`), `value` or `error` (with `name`
    /// and `message`), `meta`, `attempts`, `input_tokens`, `output_tokens`, `warnings`,
    /// `left_out`, `conflicts` and `gaps` of a document in chunks, `reviewed_by`, and `confidence`, the
    /// number of each leaf by its JSON Pointer. Empty members are absent.
    pub fn into_jsonl(mut self, path: impl AsRef<Path>) -> Self {
        self.options.outputs.push(JobOutput::Lines(path.as_ref().to_owned()));
        self
    }

    /// Appends the outcome of each document to `path` once it is committed: the lines of
    /// [`into_jsonl`](Self::into_jsonl), in the order in which they become known, those in the
    /// journal included. A file that is there is replaced when the job begins. It is removed when
    /// the job is complete, because the outputs have it all then.
    ///
    /// Each line is true, but only the journal is synced to the disk, so after a crash of the
    /// machine the file may end early. If it cannot be written any more, such as on a full disk, it
    /// is removed and the job goes on.
    ///
    /// ```
    /// use extract::testing::{ScriptedAgent, block_on};
    /// use extract_bulk::{BulkExt as _, Doc};
    /// # let folder = std::env::temp_dir().join(format!("extract-doc-partial-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let (journal, partial) = (folder.join("legs.redb"), folder.join("legs.partial.jsonl"));
    ///
    /// let agent = ScriptedAgent::new(["[8]", "[6]"]);
    /// let documents = ["spider", "ant"].map(|name| Doc::new(name, format!("How many legs has a {name}?")));
    /// let job = Vec::<u8>::bulk(&agent, documents).journal(&journal).concurrent(1).token_budget(1);
    /// block_on(job.partial_jsonl(&partial))?;
    /// assert!(std::fs::read_to_string(&partial)?.starts_with(r#"{"key":"spider","status":"done","value":[8]"#));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn partial_jsonl(mut self, path: impl AsRef<Path>) -> Self {
        self.options.partial = Some(path.as_ref().to_owned());
        self
    }

    /// Writes the outcome of every document to `path` when the job is complete, like
    /// [`into_jsonl`](Self::into_jsonl), but as rows of a Parquet file. A job may write both.
    ///
    /// | column | type | what it is |
    /// |---|---|---|
    /// | `key` | `Utf8` | of the document |
    /// | `status` | `Utf8` | `done`, `in_part` or `failed` |
    /// | `value` | from the schema | structs, lists, maps and scalars; what has no such type, such as a union, is JSON. See the package `extractable-arrow` |
    /// | `value_json` | JSON | the value as it is, if `value` does not hold all of it, such as a number that would be rounded. Then `value` may be null |
    /// | `error`, `message` | `Utf8` | why there is no value |
    /// | `meta` | JSON | what the document brought |
    /// | `attempts` | `UInt32` | questions that were answered |
    /// | `input_tokens`, `output_tokens` | `UInt64` | of all attempts |
    /// | `warnings` | list of `Utf8` | those of the value |
    /// | `left_out` | JSON | the items that the value lost |
    /// | `conflicts` | JSON | what chunks state in different ways |
    /// | `gaps` | JSON | the chunks without an answer |
    /// | `reviewed_by` | string or null | who reviewed the value, if it is [not the extracted one](Self::reviewed) |
    ///
    /// [`confidence_columns`](Self::confidence_columns) adds more. "JSON" is a string of the logical type JSON. The file is compressed with Snappy. Row groups
    /// are encoded in memory, up to 32 MB each.
    #[cfg(feature = "parquet")]
    pub fn into_parquet(mut self, path: impl AsRef<Path>) -> Self {
        self.options.outputs.push(JobOutput::Parquet(path.as_ref().to_owned()));
        self
    }

    /// Adds a column of the type `Float64` to Parquet files for each leaf of the struct `value`: the
    /// [confidence](extract::Extraction::confidence) of that leaf, from 0 to 1, called
    /// `confidence.total` for `value.total`. A column that holds several leaves, such as a list, has
    /// that of the least sure one. It is null where no confidence is known, and for reviewed values.
    /// JSON Lines have the confidence of every leaf in any case.
    #[cfg(feature = "parquet")]
    pub fn confidence_columns(mut self) -> Self {
        self.options.table_columns = ParquetColumns::WithConfidence;
        self
    }
}
