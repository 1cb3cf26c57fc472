//! Regular expressions, as far as the compiler needs them.

use regex_lite::Regex;
use regex_syntax::ast::{Error, ErrorKind, parse::Parser};

/// What is wrong with a pattern, and where. Look-around and back-references are legal in JSON Schema.
pub(super) fn mistake(pattern: &str) -> Option<String> {
    let error = Parser::new().parse(pattern).err()?;
    let is_legal =
        matches!(error.kind(), ErrorKind::UnsupportedLookAround | ErrorKind::UnsupportedBackreference);
    (!is_legal).then(|| located(&error, pattern))
}

fn located(error: &Error, pattern: &str) -> String {
    let start = error.span().start.offset;
    let position = pattern[..start].chars().count() + 1;
    let near: String = pattern[start..].chars().take(10).collect();
    let near = if near.is_empty() { "the end".to_owned() } else { format!("`{near}`") };
    format!("{}, at character {position} ({near})", error.kind())
}

/// Whether `pattern` is certainly found nowhere in `text`. What cannot be judged here is left to `assert_extractable`.
pub(super) fn is_missing(pattern: &str, text: &str) -> bool {
    is_judged(pattern, text) && Regex::new(pattern).is_ok_and(|regex| !regex.is_match(text))
}

/// `\w`, `\b` and flags are about ASCII here, and about more elsewhere.
fn is_judged(pattern: &str, text: &str) -> bool {
    text.is_ascii() || !(pattern.contains('\\') || pattern.contains("(?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_there() {
        for (pattern, text) in [
            (r"^INV-\d{4}$", "INV-2041"),
            ("", ""),
            ("b+", "abbbc"),
            ("^(a|bc)*$", "abcbca"),
            ("^a?b{2,3}c*$", "bbb"),
            (r"\bword\b", "a word here"),
            ("^(a*)*$", "aaa"),
            ("^.[^x]$", "äy"),
        ] {
            assert!(!is_missing(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn does_not_find_what_is_not_there() {
        for (pattern, text) in [
            (r"^INV-\d{4}$", "INV-20"),
            ("^a$", "ab"),
            ("x", ""),
            ("^(a|b)$", "ab"),
            ("^a{2}$", "aaa"),
            ("^[a-z]+$", "Ärger"),
        ] {
            assert!(is_missing(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn a_pattern_that_takes_others_long_is_judged_too() {
        assert!(is_missing("^(a+)+$", &format!("{}b", "a".repeat(60))));
    }

    #[test]
    fn says_where_a_mistake_is() {
        assert_eq!(mistake("ab(c").unwrap(), "unclosed group, at character 3 (`(c`)");
        assert_eq!(mistake("a{2,1}").unwrap().split(',').next(), Some("invalid repetition count range"));
    }

    #[test]
    fn what_only_others_know_is_legal_and_not_judged() {
        for pattern in ["^(?!a)b$", r"(a)\1", r"^\p{Lu}$"] {
            assert_eq!(mistake(pattern), None, "{pattern}");
            assert!(!is_missing(pattern, "x"), "{pattern}");
        }
        assert!(!is_missing(r"^\w+$", "Ärger"));
    }
}
