//! JSON with all quotes escaped, as if it were inside a string.

use crate::vocabulary::tokens::unescape;

/// Returns whether a quote after the opening brackets is escaped.
pub(super) fn starts(text: &str) -> bool {
    let inside = text.trim_start_matches(['{', '[', ' ', '\n', '\r', '\t']);
    inside.starts_with("\\\"") || inside.starts_with("\\n") && inside.contains("\\\"")
}

/// `text` with one level of escapes removed.
pub(super) fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    plain.extend(Units(text).map(|(c, _)| c));
    plain
}

/// How many bytes of `text` yield the first `length` unescaped bytes.
pub(super) fn source_length(text: &str, length: usize) -> usize {
    let mut plain = 0;
    let is_part = |(c, _): &(char, usize)| {
        plain += c.len_utf8();
        plain <= length
    };
    Units(text).take_while(is_part).map(|(_, length)| length).sum()
}

/// Characters, each with the number of bytes it is written with.
struct Units<'t>(&'t str);

impl Iterator for Units<'_> {
    type Item = (char, usize);

    fn next(&mut self) -> Option<(char, usize)> {
        let first = self.0.chars().next()?;
        let escape = if first == '\\' { unescape(self.0) } else { None };
        let (c, length) = match escape {
            Some((Some(c @ ('"' | '\\' | '/' | '\n' | '\t' | '\r')), length @ 2)) => (c, length),
            _ => (first, first.len_utf8()),
        };
        self.0 = &self.0[length..];
        Some((c, length))
    }
}
