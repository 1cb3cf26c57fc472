//! Tables in Markdown (GitHub's).

use std::io::{self, Write};

/// Writes the row that names the columns, and the one below it.
pub(super) fn header(to: &mut impl Write, names: &[String]) -> io::Result<()> {
    row(to, names)?;
    writeln!(to, "|{}", " --- |".repeat(names.len()))
}

/// Writes a row.
pub(super) fn row(to: &mut impl Write, cells: &[String]) -> io::Result<()> {
    to.write_all(b"|")?;
    for cell in cells {
        write!(to, " {} |", escaped(cell))?;
    }
    to.write_all(b"\n")
}

/// A text that is shown as it is: nothing in it ends the cell, and nothing is markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match c {
            '\r' if next == Some('\n') => {}
            '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => escaped.push_str("<br>"),
            '<' => escaped.push_str("&lt;"),
            '&' if next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '#') => {
                escaped.push_str("&amp;");
            }
            '|' | '*' | '`' | '~' => escaped.extend(['\\', c]),
            // Before anything else a backslash is one.
            '\\' if next.is_none_or(|next| next.is_ascii_punctuation()) => escaped.push_str("\\\\"),
            // Inside of a word an underscore is one.
            '_' if !(before.is_alphanumeric() && next.is_some_and(char::is_alphanumeric)) => {
                escaped.push_str("\\_");
            }
            // A link or an image.
            '(' if before == ']' => escaped.push_str("\\("),
            c => escaped.push(c),
        }
        before = c;
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_shown_as_its_text() {
        for (text, cell) in [
            ("a|b", "a\\|b"),
            ("a\\|b", "a\\\\\\|b"),
            ("a\nb\r\nc\rd", "a<br>b<br>c<br>d"),
            ("C:\\new", "C:\\new"),
            ("ends \\", "ends \\\\"),
            ("<b>&amp; R&D, A & B", "&lt;b>&amp;amp; R&amp;D, A & B"),
            ("2*3*4 `x` ~y~", "2\\*3\\*4 \\`x\\` \\~y\\~"),
            ("unit_price _is_", "unit_price \\_is\\_"),
            ("[a](b)", "[a]\\(b)"),
            ("[\"a\",\"b\"]", "[\"a\",\"b\"]"),
        ] {
            assert_eq!(escaped(text), cell, "{text}");
        }
    }
}
