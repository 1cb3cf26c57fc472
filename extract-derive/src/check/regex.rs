//! Regular expressions that the derive has to understand.

use regex_lite::Regex;
use regex_syntax::ast::{Error, ErrorKind, parse::Parser};

/// The mistake in a pattern, and its position. Look-around and back-references are legal in JSON
/// Schema.
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

/// Returns whether `pattern` certainly does not match anywhere in `text`. `assert_extractable`
/// checks what cannot be decided here.
pub(super) fn is_missing(pattern: &str, text: &str) -> bool {
    is_judged(pattern, text) && Regex::new(pattern).is_ok_and(|regex| !regex.is_match(text))
}

/// `\w`, `\b` and flags mean ASCII here and more elsewhere.
fn is_judged(pattern: &str, text: &str) -> bool {
    text.is_ascii() || !(pattern.contains('\\') || pattern.contains("(?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_match() {
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
    fn finds_no_match_where_there_is_none() {
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
    fn a_pattern_that_is_slow_elsewhere_is_judged() {
        assert!(is_missing("^(a+)+$", &format!("{}b", "a".repeat(60))));
    }

    #[test]
    fn gives_the_position_of_a_mistake() {
        assert_eq!(mistake("ab(c").unwrap(), "unclosed group, at character 3 (`(c`)");
        assert_eq!(mistake("a{2,1}").unwrap().split(',').next(), Some("invalid repetition count range"));
    }

    #[test]
    fn unsupported_syntax_is_legal_and_not_judged() {
        for pattern in ["^(?!a)b$", r"(a)\1", r"^\p{Lu}$"] {
            assert_eq!(mistake(pattern), None, "{pattern}");
            assert!(!is_missing(pattern, "x"), "{pattern}");
        }
        assert!(!is_missing(r"^\w+$", "Ärger"));
    }
}
