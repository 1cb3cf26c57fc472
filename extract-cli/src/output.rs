//! Prints results on the standard output, and everything else on the standard error.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style as Colour};
use extract::{Violation, reading::Change};
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::Failure;

/// Colours, which `anstream` drops where they are unwanted: without a terminal, with `NO_COLOR` or
/// `TERM=dumb`.
pub(crate) const BAD: Colour = AnsiColor::Red.on_default().bold();
pub(crate) const GOOD: Colour = AnsiColor::Green.on_default();
pub(crate) const REMARK: Colour = AnsiColor::Yellow.on_default();

/// How results are printed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    /// Whether to print JSON for programs.
    pub(crate) is_json: bool,
    /// Whether to print no remarks.
    pub(crate) is_quiet: bool,
}

impl Style {
    /// Prints a remark to the standard error, unless quiet.
    pub(crate) fn note(self, text: impl AsRef<str>) {
        if !self.is_quiet {
            note(text);
        }
    }
}

/// Prints one line to the standard output.
pub(crate) fn line(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Prints bytes unchanged, such as a page or a script.
pub(crate) fn raw(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Prints a value for people: indented.
pub(crate) fn pretty(value: &Value) -> Result<(), Failure> {
    line(&serde_json::to_string_pretty(value).unwrap_or_default())
}

/// Prints a value for machines: one line.
pub(crate) fn compact(value: &impl Serialize) -> Result<(), Failure> {
    line(&serde_json::to_string(value).map_err(io::Error::other)?)
}

/// Prints one line to the standard error. It is fine if nobody reads it.
pub(crate) fn note(text: impl AsRef<str>) {
    let _ = writeln!(anstream::stderr().lock(), "{}", text.as_ref());
}

/// A violation, with its colour.
pub(crate) fn violation(violation: &Violation) -> String {
    let style = if violation.is_warning() { REMARK } else { BAD };
    format!("{style}{}{style:#} {}", if violation.is_warning() { "!" } else { "✗" }, violation)
}

/// A change of the receipt, on one line: `$.total: type, lossless: "12" → 12`.
pub(crate) fn change(change: &Change) -> String {
    let before = shortened(&change.before);
    let what = if change.after.is_empty() {
        format!("{before} left out")
    } else {
        format!("{before} → {}", shortened(&change.after))
    };
    let chunk = change.chunk.map(|chunk| format!(" in the answer to chunk {chunk}")).unwrap_or_default();
    let (path, kind, loss) = (&change.path, name(&change.kind), name(&change.loss));
    format!("{REMARK}~{REMARK:#} {path}{chunk}: {kind}, {loss}: {what}")
}

/// The stable name of a kind from its JSON, with spaces for underscores.
fn name(kind: &impl Serialize) -> String {
    match serde_json::to_value(kind) {
        Ok(Value::String(name)) => name.replace('_', " "),
        _ => String::new(),
    }
}

/// Maximum characters of a quoted string on one line.
const MOST: usize = 60;

/// Foreign text, such as a reply or a key, with escapes for characters that move the cursor or the
/// text around it.
pub(crate) fn plain(text: &str) -> String {
    text.chars().flat_map(|c| if matches!(c, '\n' | '\t') { vec![c] } else { escaped_control(c) }).collect()
}

fn shortened(text: &str) -> String {
    let mut escaped = text.chars().flat_map(escaped_control);
    let start: String = escaped.by_ref().take(MOST).collect();
    if escaped.next().is_some() { format!("{start}…") } else { start }
}

/// The escape of a character that moves the cursor or the text around it.
fn escaped_control(c: char) -> Vec<char> {
    if c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}') {
        c.escape_default().collect()
    } else {
        vec![c]
    }
}

/// `count` things, in the singular for one.
pub(crate) fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Reports a failure on the standard error; as one line of JSON if `is_json`.
pub(crate) fn failure(failure: &Failure, is_json: bool) {
    if is_json {
        let exit = failure.exit as u8;
        let error = json!({"message": failure.message, "help": failure.help, "exit": exit});
        note(json!({"error": error}).to_string());
        return;
    }
    note(format!("{BAD}error:{BAD:#} {}", plain(&failure.message)));
    if let Some(help) = &failure.help {
        note(format!("{GOOD}help:{GOOD:#} {}", plain(help)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_cannot_move_the_cursor() {
        assert_eq!(shortened("a\u{1b}[2Jb\n\u{202e}"), "a\\u{1b}[2Jb\\n\\u{202e}");
        assert_eq!(plain("a\u{9b}b\n\tc"), "a\\u{9b}b\n\tc");
        assert_eq!(shortened(&"x".repeat(61)), format!("{}…", "x".repeat(60)));
    }

    #[test]
    fn one_thing_is_no_plural() {
        assert_eq!([counted(1, "file"), counted(2, "file")], ["1 file", "2 files"]);
    }
}
