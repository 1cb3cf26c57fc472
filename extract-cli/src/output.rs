//! Prints results on the standard output, and everything else on the standard error.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal as _, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use anstyle::{AnsiColor, Style as Colour};
use extract::{
    Violation,
    metrics::{Conflict, Gap, Statement},
    reading::Change,
};
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

/// Prints one line for people to the standard output, with colours of this program. A character that
/// moves the cursor or the text around it is printed as its escape.
pub(crate) fn line(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    out.write_all(visible(text).as_bytes())?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Prints a text that may go on to a program: as it is, but for people as [`plain`].
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    if io::stdout().is_terminal() {
        return line(&plain(text));
    }
    raw(format!("{text}\n").as_bytes())
}

/// Prints one line or several of JSON, the same for people and programs.
pub(crate) fn json(json: &str) -> Result<(), Failure> {
    raw(format!("{}\n", escaped_json(json)).as_bytes())
}

/// Prints bytes unchanged, such as a page or a script.
pub(crate) fn raw(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Prints a value for people: indented.
pub(crate) fn pretty(value: &Value) -> Result<(), Failure> {
    json(&serde_json::to_string_pretty(value).unwrap_or_default())
}

/// Prints a value for machines: one line.
pub(crate) fn compact(value: &impl Serialize) -> Result<(), Failure> {
    json(&serde_json::to_string(value).map_err(io::Error::other)?)
}

/// Whether remarks are suppressed.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Suppresses remarks, or does not.
pub(crate) fn set_quiet(is_quiet: bool) {
    IS_QUIET.store(is_quiet, Ordering::Relaxed);
}

/// Prints a remark about a document to the standard error, unless quiet. It is found while documents
/// are read, where no [`Style`] is known.
pub(crate) fn remark(text: impl AsRef<str>) {
    if !IS_QUIET.load(Ordering::Relaxed) {
        note(text);
    }
}

/// Whether the progress may stand on the last line of a terminal.
static HAS_PROGRESS: AtomicBool = AtomicBool::new(false);

/// Says that progress is shown from now on.
pub(crate) fn begin_progress() {
    HAS_PROGRESS.store(io::stderr().is_terminal(), Ordering::Relaxed);
}

/// Prints one line to the standard error, in place of the progress if it is shown, and ignores a failure
/// to write it.
pub(crate) fn note(text: impl AsRef<str>) {
    if HAS_PROGRESS.load(Ordering::Relaxed) {
        // Not through `anstream`, which drops it where colours are unwanted.
        let _ = io::stderr().write_all(b"\r\x1b[K");
    }
    let _ = writeln!(anstream::stderr().lock(), "{}", visible(text.as_ref()));
}

/// A violation, with its colour.
pub(crate) fn violation(violation: &Violation) -> String {
    let style = if violation.is_warning() { REMARK } else { BAD };
    let mark = if violation.is_warning() { "!" } else { "✗" };
    format!("{style}{mark}{style:#} {}", plain(&violation.to_string()))
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
    let (path, kind, loss) = (plain(&change.path.to_string()), name(&change.kind), name(&change.loss));
    format!("{REMARK}~{REMARK:#} {path}{chunk}: {kind}, {loss}: {what}")
}

/// What chunks state in different ways, on one line: `! $.total: 12 kept, from chunk 0; 13 in chunk 2`.
pub(crate) fn conflict(Conflict { path, kept, others, .. }: &Conflict) -> String {
    let shown = |statement: &Statement| shortened(&statement.value.to_string());
    let others = others.iter().map(|other| format!("; {} in chunk {}", shown(other), other.chunk));
    let (path, others) = (plain(&path.to_string()), others.collect::<String>());
    format!("{REMARK}!{REMARK:#} {path}: {} kept, from chunk {}{others}", shown(kept), kept.chunk)
}

/// A chunk without an answer: `✗ chunk 2 (bytes 4000 to 6000): MaxRetriesExceeded: no acceptable answer …`.
pub(crate) fn gap(Gap { chunk, range, error, message, .. }: &Gap) -> String {
    let (from, to) = (range.start, range.end);
    format!("{BAD}✗{BAD:#} chunk {chunk} (bytes {from} to {to}): {error}: {}", plain(message))
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

/// An error in JSON that is one line of a file, whose number is named already: without the line,
/// which is always the first.
pub(crate) fn without_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

fn shortened(text: &str) -> String {
    let mut escaped = text.chars().flat_map(escaped_control);
    let start: String = escaped.by_ref().take(MOST).collect();
    if escaped.next().is_some() { format!("{start}…") } else { start }
}

/// The escape of a character that moves the cursor or the text around it.
fn escaped_control(c: char) -> Vec<char> {
    if moves(c) { c.escape_default().collect() } else { vec![c] }
}

/// Returns whether a character moves the cursor or the text around it, or is not shown at all.
fn moves(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// The text of this program with its colours, and the rest as [`plain`].
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        shown.push_str(&plain(&rest[..at]));
        let colour = rest[at..].strip_prefix("\u{1b}[").map_or(0, |codes| {
            let end = codes.find(|c: char| !(c.is_ascii_digit() || c == ';')).unwrap_or(codes.len());
            if codes[end..].starts_with('m') { end + 3 } else { 0 }
        });
        let length = colour.max(1);
        let found = &rest[at..at + length];
        if colour > 0 {
            shown.push_str(found);
        } else {
            shown.push_str(&plain(found));
        }
        rest = &rest[at + length..];
    }
    shown.push_str(&plain(rest));
    shown
}

/// Returns JSON in which characters that move the cursor or the text around it are escaped, which
/// leaves the values as they are. Outside of strings, JSON has only line breaks.
pub(crate) fn escaped_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    json.chars().for_each(|c| push_json(&mut escaped, c));
    escaped
}

fn push_json(json: &mut String, c: char) {
    if matches!(c, '\n' | '\t' | '\r') || !moves(c) {
        return json.push(c);
    }
    for unit in c.encode_utf16(&mut [0; 2]) {
        // Writing to a string does not fail.
        let _ = write!(json, "\\u{unit:04x}");
    }
}

/// How a text is escaped.
#[derive(Debug, Clone, Copy)]
enum TextEscapes {
    Json,
    Plain,
    None,
}

/// The standard output, where what moves the cursor or the text around it is escaped: in JSON
/// always, in other text only on a terminal.
pub(crate) struct Escaping {
    to: io::StdoutLock<'static>,
    escapes: TextEscapes,
    /// The start of a character whose end has not arrived.
    started: Vec<u8>,
}

impl Escaping {
    /// For JSON.
    pub(crate) fn json() -> Self {
        Self::stdout(TextEscapes::Json)
    }

    /// For other text.
    pub(crate) fn text() -> Self {
        let is_shown = io::stdout().is_terminal();
        Self::stdout(if is_shown { TextEscapes::Plain } else { TextEscapes::None })
    }

    fn stdout(escapes: TextEscapes) -> Self {
        Self { to: io::stdout().lock(), escapes, started: Vec::new() }
    }
}

impl Write for Escaping {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if matches!(self.escapes, TextEscapes::None) {
            return self.to.write(bytes);
        }
        let mut text = std::mem::take(&mut self.started);
        text.extend_from_slice(bytes);
        let whole = match str::from_utf8(&text) {
            Ok(_) => text.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            // This program writes UTF-8.
            Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        };
        self.started = text.split_off(whole);
        let text = String::from_utf8_lossy(&text);
        let escaped = match self.escapes {
            TextEscapes::Json => escaped_json(&text),
            TextEscapes::Plain | TextEscapes::None => plain(&text),
        };
        self.to.write_all(escaped.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// `count` things, in the singular for one.
pub(crate) fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// How a failure is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureForm {
    Text,
    /// One line of JSON.
    Json,
}

/// Reports a failure on the standard error.
pub(crate) fn failure(failure: &Failure, form: FailureForm) {
    if form == FailureForm::Json {
        let exit = failure.exit as u8;
        let error = json!({"message": failure.message, "help": failure.help, "exit": exit});
        note(escaped_json(&json!({"error": error}).to_string()));
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
    fn only_colours_reach_a_terminal() {
        assert_eq!(visible("\u{1b}[1;31mé\u{1b}[0m"), "\u{1b}[1;31mé\u{1b}[0m");
        for (text, shown) in [
            ("a\u{7f}b", "a\\u{7f}b"),
            ("\u{9b}2J", "\\u{9b}2J"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("\u{1b}", "\\u{1b}"),
            ("\u{1b}]0;x\u{7}", "\\u{1b}]0;x\\u{7}"),
            ("\u{1b}[é", "\\u{1b}[é"),
            ("\u{202e}\u{2066}\u{200f}\u{61c}\u{e0041}", "\\u{202e}\\u{2066}\\u{200f}\\u{61c}\\u{e0041}"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn escaped_json_is_the_same_value() {
        let value = json!({"a\u{7f}": "\u{9b}\u{202e}\u{2066}\u{1b}\u{e0041}é\n\u{10ffff}"});
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let escaped = escaped_json(&text);
            assert!(!escaped.chars().any(|c| moves(c) && c != '\n'), "{escaped}");
            assert_eq!(serde_json::from_str::<Value>(&escaped).unwrap(), value);
        }
    }

    #[test]
    fn one_thing_is_no_plural() {
        assert_eq!([counted(1, "file"), counted(2, "file")], ["1 file", "2 files"]);
    }
}
