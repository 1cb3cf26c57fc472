//! JSON whose quotes are all escaped, as if it stood in a text.

/// Whether a quote after the opening brackets is escaped.
pub(super) fn starts(text: &str) -> bool {
    let inside = text.trim_start_matches(['{', '[', ' ', '\n', '\r', '\t']);
    inside.starts_with("\\\"") || inside.starts_with("\\n") && inside.contains("\\\"")
}

/// `text` with one level of escapes taken away, and how many of its bytes made the first so many of the result.
pub(super) fn unescaped(text: &str) -> (String, impl Fn(usize) -> usize) {
    let mut plain = String::with_capacity(text.len());
    // Where bytes were left out, in the result.
    let mut left_out = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.clone().next() {
            Some(next @ ('"' | '\\' | '/')) => plain.push(next),
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            _ => {
                plain.push(c);
                continue;
            }
        }
        chars.next();
        left_out.push(plain.len());
    }
    (plain, move |length| length + left_out.partition_point(|at| *at <= length))
}
