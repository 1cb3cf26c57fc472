//! When two spellings mean the same word.

/// `text` without case, spaces and what joins words, so that `invoiceNumber`, `Invoice Number` and `invoice_number`
/// are the same. Signs that carry meaning stay: `C++`, `-1`, `1.5`, `2024-10`.
pub(super) fn bare(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut before = None;
    let mut chars = text.trim().chars().peekable();
    while let Some(c) = chars.next() {
        let is_joint = c.is_whitespace()
            || matches!(c, '_' | '-' | '.' | ',' | ':' | ';' | '\'' | '"' | '`' | '(' | ')');
        let is_before_digit = chars.peek().is_some_and(char::is_ascii_digit);
        let is_after_digit = before.is_none_or(|c: char| c.is_ascii_digit());
        if !is_joint || is_before_digit && is_after_digit {
            bare.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    bare
}

/// The only one of `options` that `text` means: by case, else by bare form, else as its beginning.
pub(super) fn only<'o>(text: &str, options: &[&'o str]) -> Option<&'o str> {
    let text = text.trim();
    let mut found = unique(options, |option| option.to_lowercase() == text.to_lowercase());
    let wanted = bare(text);
    if matches!(found, Match::None) && !wanted.is_empty() {
        found = unique(options, |option| bare(option) == wanted);
    }
    if matches!(found, Match::None) && wanted.chars().count() >= 3 {
        found = unique(options, |option| bare(option).starts_with(&wanted));
    }
    match found {
        Match::One(option) => Some(option),
        Match::None | Match::Several => None,
    }
}

enum Match<'o> {
    None,
    One(&'o str),
    Several,
}

fn unique<'o>(options: &[&'o str], is_meant: impl Fn(&str) -> bool) -> Match<'o> {
    let mut meant = options.iter().filter(|option| is_meant(option));
    match (meant.next(), meant.next()) {
        (None, _) => Match::None,
        (Some(option), None) => Match::One(option),
        (Some(_), Some(_)) => Match::Several,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_same_whatever_joins_them() {
        for text in
            ["invoiceNumber", "Invoice Number", "invoice_number", "INVOICE-NUMBER", " invoice.number "]
        {
            assert_eq!(bare(text), "invoicenumber", "{text}");
        }
    }

    #[test]
    fn signs_that_mean_something_stay() {
        for (left, right) in [("C++", "C"), ("-1", "1"), ("1.5", "15"), ("2024-10", "202410"), ("<", ">")] {
            assert_ne!(bare(left), bare(right));
        }
    }

    #[test]
    fn nothing_is_guessed_between_two() {
        assert_eq!(only("GOODS", &["goods", "service"]), Some("goods"));
        assert_eq!(only("serv", &["goods", "service"]), Some("service"));
        assert_eq!(only("se", &["goods", "service"]), None);
        assert_eq!(only("north", &["north_east", "north_west"]), None);
        assert_eq!(only("c", &["C++", "C#"]), None);
        assert_eq!(only("In Progress", &["in_progress", "inProgress"]), None);
        assert_eq!(only("", &["a"]), None);
    }
}
