//! JSON with all quotes escaped, as if it were inside a string.

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
        let mut chars = self.0.chars();
        let first = chars.next()?;
        let escaped = match (first, chars.next()) {
            ('\\', Some(next @ ('"' | '\\' | '/'))) => Some(next),
            ('\\', Some('n')) => Some('\n'),
            ('\\', Some('t')) => Some('\t'),
            ('\\', Some('r')) => Some('\r'),
            _ => None,
        };
        let length = if escaped.is_some() { 2 } else { first.len_utf8() };
        self.0 = &self.0[length..];
        Some((escaped.unwrap_or(first), length))
    }
}
