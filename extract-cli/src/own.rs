//! Recognises the files of this program: results, pages and journals.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

/// The end of the name of the gold set with the decisions about a job.
pub(crate) const GOLD: &str = ".gold.jsonl";

/// How much of a file's start, and of a Parquet file's end, shows who wrote it.
const SHOWN_BYTES: u64 = 256 << 10;

/// How many bytes at a file's start decide whether to look at more.
const FIRST_BYTES: u64 = 64;

/// The start of every page of this program.
const PAGE: &str = "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta \
                    http-equiv=Content-Security-Policy content=\"default-src 'none'; ";

/// The start of every table of this program, as CSV and as Markdown.
const TABLES: [&str; 2] = ["key,status,error,", "| key | status | error |"];

/// The start of every journal: the mark of its store.
const JOURNAL: &[u8] = b"redb\x1a\n";

/// The start of the files of `serve-mcp`.
const SUBMITTED: [&str; 2] = [r#"{"status":"done","value":"#, r#"{"status":"failed","error":{"name":"#];

/// The kind of a file of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Own {
    Results,
    /// Also its companion file, or one that a crash left.
    Journal,
}

impl Own {
    /// Returns the kind of the file at `path`; `None` if it is another file, or cannot be read.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        if is_temporary(path) {
            return Some(Self::Journal);
        }
        if is_gold(path) {
            return Some(Self::Results);
        }
        if path.extension().is_some_and(|ending| ending == "owner") && is_journal(&path.with_extension("")) {
            return Some(Self::Journal);
        }
        if is_journal(path) {
            return Some(Self::Journal);
        }
        if is_new_partial(path) {
            return Some(Self::Results);
        }
        // Most files are not ours, which their first bytes show.
        let first = start(path, FIRST_BYTES).ok()?;
        let may_be =
            [&b"{\"key\":"[..], b"[\n{\"key\":", b"PAR1"].iter().any(|start| first.starts_with(start))
                || [PAGE].iter().chain(&TABLES).chain(&SUBMITTED).any(|text| {
                    let text = &text.as_bytes()[..text.len().min(first.len())];
                    !text.is_empty() && first.starts_with(text)
                });
        let is_own = may_be
            && (starts_as_submitted(&first) || is_results(&mut File::open(path).ok()?).unwrap_or_default());
        is_own.then_some(Self::Results)
    }
}

/// Returns whether the file starts like one of `serve-mcp`.
pub(crate) fn is_submitted(path: &Path) -> bool {
    start(path, FIRST_BYTES).is_ok_and(|first| starts_as_submitted(&first))
}

fn starts_as_submitted(first: &[u8]) -> bool {
    SUBMITTED.iter().any(|text| first.starts_with(text.as_bytes()))
}

/// Returns whether the file starts, or a Parquet file ends, like results or a page of this program.
pub(crate) fn is_results(file: &mut File) -> io::Result<bool> {
    let mut start = Vec::new();
    file.by_ref().take(SHOWN_BYTES).read_to_end(&mut start)?;
    if start.starts_with(b"PAR1") {
        let end = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(end.saturating_sub(SHOWN_BYTES)))?;
        start.clear();
        file.take(SHOWN_BYTES).read_to_end(&mut start)?;
        let has = |name: &str| start.windows(name.len()).any(|part| part == name.as_bytes());
        return Ok(has("value_json") && has("left_out"));
    }
    let is_array = start.strip_prefix(b"[\n").is_some_and(is_line) || start == *b"[]\n";
    let starts_like = |text: &str| start.starts_with(text.as_bytes());
    Ok(starts_like(PAGE) || TABLES.iter().any(|table| starts_like(table)) || is_array || is_line(&start))
}

/// Returns whether this is the start of a line of results: `{"key":"…","status":"done"`.
fn is_line(start: &[u8]) -> bool {
    let Some(rest) = start.strip_prefix(b"{\"key\":") else { return false };
    let mut keys = serde_json::Deserializer::from_slice(rest).into_iter::<String>();
    let is_key = matches!(keys.next(), Some(Ok(_)));
    let rest = rest.get(keys.byte_offset()..).unwrap_or_default();
    is_key
        && ["done", "in_part", "failed"].iter().any(|status| {
            rest.strip_prefix(b",\"status\":\"")
                .is_some_and(|rest| rest.starts_with(format!("{status}\"").as_bytes()))
        })
}

/// Returns whether a file was being written when a run crashed: `out.jsonl.4711.0.tmp`.
fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut parts = name.rsplit('.');
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()) && !part.is_empty())
    };
    parts.next() == Some("tmp")
        && is_number(parts.next())
        && is_number(parts.next())
        && parts.next().is_some()
}

/// Returns whether the file is for the results of a job without results so far.
fn is_new_partial(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".partial.jsonl") && path.metadata().is_ok_and(|file| file.len() == 0)
}

/// Returns whether the file has the decisions about a job whose journal is beside it.
fn is_gold(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some(stem) = name.strip_suffix(GOLD) else { return false };
    is_journal(&path.with_file_name(format!("{stem}.journal"))) || is_journal(&path.with_file_name(stem))
}

fn is_journal(path: &Path) -> bool {
    start(path, JOURNAL.len() as u64).is_ok_and(|start| start == JOURNAL)
}

fn start(path: &Path, size: u64) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    File::open(path)?.take(size).read_to_end(&mut start)?;
    Ok(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_this_program_are_known() {
        for line in [
            r#"{"key":"a","status":"done","value":1"#,
            r#"{"key":"a\"b","status":"failed","error""#,
            r#"{"key":"","status":"in_part","#,
        ] {
            assert!(is_line(line.as_bytes()), "{line}");
        }
        for line in ["", "{", r#"{"key":1,"status":"done""#, r#"{"key":"a","status":"open""#, r#"{"id":"a"}"#]
        {
            assert!(!is_line(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn what_a_crash_leaves_is_known_by_its_name() {
        for (name, is_ours) in
            [("out.jsonl.4711.0.tmp", true), ("4711.0.tmp", false), ("a.x.0.tmp", false), ("a..0.tmp", false)]
        {
            assert_eq!(is_temporary(Path::new(name)), is_ours, "{name}");
        }
    }
}
