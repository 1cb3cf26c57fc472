//! Numbers and cut texts, as sentences have them.

/// `1 value`, `2 values`
pub(super) fn counted(count: usize, singular: &str) -> String {
    if count == 1 { format!("1 {singular}") } else { format!("{count} {singular}s") }
}

/// `text`, or its start and the number of omitted characters.
pub(super) fn cut(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        None => text.to_owned(),
        Some((end, _)) => {
            let left_out = text[end..].chars().count();
            format!("{}… ({left_out} more characters)", &text[..end])
        }
    }
}
