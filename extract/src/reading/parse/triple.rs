//! Strings in three quotes, which may span lines.

use std::borrow::Cow;

use super::Parser;
use crate::vocabulary::change::{ChangeKind, Loss};

impl<'t> Parser<'t> {
    /// `"""text"""`
    pub(super) fn triple(&mut self, start: usize) -> Cow<'t, str> {
        let body = start + 3;
        let (end, next) = match self.text[body..].find("\"\"\"") {
            Some(length) => (body + length, body + length + 3),
            None => (self.text.len(), self.text.len()),
        };
        self.at = next;
        self.note(ChangeKind::Quote, Loss::Lossless, start..body, "\"");
        let text = &self.text[body..end];
        if end == next {
            self.horizon.looked(start, next);
            self.cut();
            return Cow::Borrowed(text);
        }
        let Some(dedented) = dedented(text) else { return Cow::Borrowed(text) };
        self.note(
            ChangeKind::Space,
            Loss::Ignored,
            body..end,
            "the same without the indentation of its lines",
        );
        Cow::Owned(dedented)
    }
}

/// `text` without the indentation that all of its lines share. `None` if they share none, or if
/// text is on the line of the opening quotes.
///
/// It is the rule of Java's text blocks (JEP 378): the line of the closing quotes counts too, so a
/// string indented more than its quotes keeps the difference. The line break after the opening
/// quotes is dropped as well.
fn dedented(text: &str) -> Option<String> {
    let (first, lines) = text.split_once('\n')?;
    let last = lines.rsplit('\n').next().unwrap_or_default();
    let counts = |line: &&str| !line.trim().is_empty();
    let shared = lines.split('\n').filter(counts).fold(indentation(last), shared_start);
    if !first.trim().is_empty() || shared.is_empty() {
        return None;
    }
    let dedented =
        |line| str::strip_prefix(line, shared).unwrap_or_else(|| line.trim_start_matches([' ', '\t']));
    let mut inside = String::with_capacity(lines.len());
    for (index, line) in lines.split('\n').enumerate() {
        if index > 0 {
            inside.push('\n');
        }
        inside.push_str(dedented(line));
    }
    Some(inside)
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The common start of `shared` and the indentation of `line`.
fn shared_start<'l>(shared: &'l str, line: &str) -> &'l str {
    let length =
        shared.bytes().zip(indentation(line).bytes()).take_while(|(left, right)| left == right).count();
    &shared[..length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_indentation_that_all_lines_and_the_closing_quotes_share_is_dropped() {
        for (text, expected) in [
            ("\n    def f():\n        return 1\n    ", "def f():\n    return 1\n"),
            ("\n  a\n\n  b\n  ", "a\n\nb\n"),
            ("\n    a\n  b", "  a\nb"),
            ("\n\ta\n\tb\n\t", "a\nb\n"),
            ("\r\n  a\r\n  b\r\n  ", "a\r\nb\r\n"),
            ("  \n    a\n  ", "  a\n"),
        ] {
            assert_eq!(dedented(text).as_deref(), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn without_shared_indentation_everything_stays() {
        for text in [
            "a",
            "a\n    b\n    ",
            "\na\n  b\n",
            "\n    a\n",
            "\n  a\n\tb\n  ",
            "",
            "\n",
            "  ",
            "\n    a\n    b\nc",
        ] {
            assert_eq!(dedented(text), None, "{text:?}");
        }
    }
}
