//! Quotation marks and ellipses that a model writes around the words it copies.

use crate::document::characters::{quotation_mark, trimmed};

/// Maximum layers that are taken off: an ellipsis in quotation marks in brackets is three.
const MOST_LAYERS: usize = 6;

/// `quote` without the marks around it, one layer after another.
pub(super) fn without_marks(quote: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(peeled(quote), |quote| peeled(quote)).take(MOST_LAYERS)
}

/// `quote` without its outermost marks; `None` if it has none, or nothing else.
fn peeled(quote: &str) -> Option<&str> {
    let quote = trimmed(quote);
    let bare = without_ellipses(quote);
    let bare = if bare.len() < quote.len() { bare } else { without_quotation_marks(quote)? };
    let bare = trimmed(bare);
    (!bare.is_empty()).then_some(bare)
}

/// `text` without the ellipses at its start and end.
fn without_ellipses(text: &str) -> &str {
    const IN_BRACKETS: [&str; 4] = ["[...]", "(...)", "[…]", "(…)"];
    for bracketed in IN_BRACKETS {
        if let Some(rest) = text.strip_prefix(bracketed).or_else(|| text.strip_suffix(bracketed)) {
            return rest;
        }
    }
    let is_sign = |c: char| matches!(c, '…' | '⋯' | '‥');
    let text = text.trim_matches(is_sign);
    let start = text.trim_start_matches('.');
    let text = if text.len() - start.len() > 2 { start } else { text };
    let end = text.trim_end_matches('.');
    if text.len() - end.len() > 2 { end } else { text }
}

/// `text` without a pair of quotation marks around it, or without a double one on one side. A
/// single one there may be an apostrophe, and one after a digit means feet or inches.
fn without_quotation_marks(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    let last = text.chars().next_back()?;
    let (opening, closing) = (mark(first), mark(last));
    let (after, before) = (text.strip_prefix(first)?, text.strip_suffix(last)?);
    if opening.is_some() && opening == closing {
        return after.strip_suffix(last);
    }
    if opening == Some('"') {
        return Some(after);
    }
    (closing == Some('"') && !before.ends_with(char::is_numeric)).then_some(before)
}

/// The kind of quotation mark that `c` is. Primes are units.
fn mark(c: char) -> Option<char> {
    match c {
        '\u{2032}'..='\u{2037}' | '\u{b4}' => None,
        '《' | '》' | '〈' | '〉' => Some('<'),
        '﹁' | '﹂' | '﹃' | '﹄' => Some('「'),
        _ => quotation_mark(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_off_layer_by_layer() {
        for (quote, expected) in [
            ("\"400 mg\"", &["400 mg"][..]),
            ("“400 mg”", &["400 mg"]),
            ("„400 mg“", &["400 mg"]),
            ("»400 mg«", &["400 mg"]),
            ("« 400 mg »", &["400 mg"]),
            ("‹400 mg›", &["400 mg"]),
            ("「400 mg」", &["400 mg"]),
            ("『400 mg』", &["400 mg"]),
            ("《400 mg》", &["400 mg"]),
            ("'400 mg'", &["400 mg"]),
            ("``400 mg''", &["`400 mg'", "400 mg"]),
            ("...400 mg...", &["400 mg"]),
            ("… 400 mg", &["400 mg"]),
            ("400 mg [...]", &["400 mg"]),
            ("[…] 400 mg […]", &["400 mg […]", "400 mg"]),
            ("\"...“400 mg” daily…\"", &["...“400 mg” daily…", "“400 mg” daily", "400 mg” daily"]),
            ("\"400 mg", &["400 mg"]),
            ("400 mg\"", &["400 mg"]),
            ("5\"", &[]),
            ("the dogs'", &[]),
            ("'tis", &[]),
            ("400 mg.", &[]),
            ("a ... b", &[]),
            ("\"\"", &[]),
            ("…", &[]),
            ("\"", &[]),
            ("", &[]),
        ] {
            assert_eq!(without_marks(quote).collect::<Vec<_>>(), expected, "{quote}");
        }
    }
}
