//! Regular expressions that the derive has to understand.

use regex_lite::Regex;
use regex_syntax::ast::{
    self, AssertionKind, Ast, ClassSetBinaryOp, ClassSetItem, ErrorKind, Span, Visitor, parse::Parser,
};

/// The mistake in a pattern, and its position. Look-around and back-references are legal in JSON
/// Schema.
pub(super) fn mistake(pattern: &str) -> Option<String> {
    match Parser::new().parse(pattern) {
        Ok(parsed) => {
            let Foreign { span, instead } = ast::visit(&parsed, OnlyInRust).err()?;
            let part = &pattern[span.start.offset..span.end.offset];
            Some(format!(
                "`{part}` {} does not mean in JSON Schema what it means in Rust; {instead}",
                position(&span, pattern)
            ))
        }
        Err(error) => match error.kind() {
            ErrorKind::UnsupportedLookAround | ErrorKind::UnsupportedBackreference => None,
            kind => {
                let near: String = pattern[error.span().start.offset..].chars().take(10).collect();
                let near = if near.is_empty() { "the end".to_owned() } else { format!("`{near}`") };
                Some(format!("{kind}, {} ({near})", position(error.span(), pattern)))
            }
        },
    }
}

fn position(span: &Span, pattern: &str) -> String {
    format!("at character {}", pattern[..span.start.offset].chars().count() + 1)
}

/// A part of a pattern that has another meaning in JSON Schema, where patterns are those of ECMA-262.
struct Foreign {
    span: Span,
    instead: &'static str,
}

/// Finds the first part of a pattern that is [`Foreign`].
struct OnlyInRust;

impl Visitor for OnlyInRust {
    type Output = ();
    type Err = Foreign;

    fn finish(self) -> Result<(), Foreign> {
        Ok(())
    }

    fn visit_pre(&mut self, part: &Ast) -> Result<(), Foreign> {
        let Ast::Assertion(assertion) = part else { return Ok(()) };
        let instead = match assertion.kind {
            AssertionKind::StartText => "write `^` for the start",
            AssertionKind::EndText => "write `$` for the end",
            _ => return Ok(()),
        };
        Err(Foreign { span: assertion.span, instead })
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Foreign> {
        let instead = match item {
            ClassSetItem::Ascii(_) => "list the characters, as in `[A-Za-z]`",
            ClassSetItem::Bracketed(_) => "write one class without brackets in it",
            _ => return Ok(()),
        };
        Err(Foreign { span: *item.span(), instead })
    }

    fn visit_class_set_binary_op_pre(&mut self, operation: &ClassSetBinaryOp) -> Result<(), Foreign> {
        Err(Foreign { span: operation.span, instead: "write one class without `&&`, `--` and `~~`" })
    }
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

    #[test]
    fn a_pattern_that_json_schema_reads_in_another_way_is_a_mistake() {
        for (pattern, position) in [
            ("[[:alpha:]]+", "`[:alpha:]` at character 2"),
            ("x[^a[bc]]", "`[bc]` at character 5"),
            ("[a-z&&[^b]]", "`a-z&&[^b]` at character 2"),
            (r"[\w--\d]", r"`\w--\d` at character 2"),
            (r"\Aa", r"`\A` at character 1"),
            (r"(a|b\z)", r"`\z` at character 5"),
        ] {
            let mistake = mistake(pattern).unwrap_or_default();
            assert!(mistake.starts_with(&format!("{position} does not mean")), "{pattern}: {mistake}");
        }
        for pattern in [r"[\[\]&-]", r"^[\w-]+$", r"\bA|z$", "(?:a&&b--c)"] {
            assert_eq!(mistake(pattern), None, "{pattern}");
        }
    }
}
