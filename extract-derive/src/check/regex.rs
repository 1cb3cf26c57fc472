//! Regular expressions, as far as the compiler needs them.

use regex_syntax::{
    Error, ast, hir,
    hir::{Class, Hir, HirKind, Look},
};

/// What is known of a pattern.
#[derive(Debug)]
pub(super) enum Pattern {
    Known(Hir),
    /// Legal in JSON Schema, but with parts that are not judged here, such as look-around.
    Foreign,
}

/// Reads a pattern, or says what is wrong with it and where.
pub(super) fn parse(pattern: &str) -> Result<Pattern, String> {
    match regex_syntax::parse(pattern) {
        Ok(hir) => Ok(Pattern::Known(hir)),
        Err(error) => match mistake(&error, pattern) {
            Some(mistake) => Err(mistake),
            None => Ok(Pattern::Foreign),
        },
    }
}

fn mistake(error: &Error, pattern: &str) -> Option<String> {
    let (kind, span) = match error {
        Error::Parse(error) => match error.kind() {
            ast::ErrorKind::UnsupportedLookAround | ast::ErrorKind::UnsupportedBackreference => return None,
            kind => (kind.to_string(), error.span()),
        },
        Error::Translate(error) => match error.kind() {
            hir::ErrorKind::UnicodePropertyNotFound
            | hir::ErrorKind::UnicodePropertyValueNotFound
            | hir::ErrorKind::UnicodeCaseUnavailable => return None,
            kind => (kind.to_string(), error.span()),
        },
        _ => return None,
    };
    let position = pattern[..span.start.offset].chars().count() + 1;
    let near: String = pattern[span.start.offset..].chars().take(10).collect();
    let near = if near.is_empty() { "the end".to_owned() } else { format!("`{near}`") };
    Some(format!("{kind}, at character {position} ({near})"))
}

/// Whether `pattern` is found anywhere in `text`. A search that takes too long counts as found: the compiler must not
/// hang, and a mistake must not be invented.
pub(super) fn is_match(pattern: &Hir, text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let mut search = Search { text: &text, steps: 0 };
    (0..=text.len()).any(|start| search.run(pattern, start, &mut |_, _| true))
        || search.steps >= Search::LIMIT
}

struct Search<'t> {
    text: &'t [char],
    steps: usize,
}

type Then<'f, 't> = &'f mut dyn FnMut(&mut Search<'t>, usize) -> bool;

impl<'t> Search<'t> {
    const LIMIT: usize = 100_000;

    /// Whether `pattern` matches at `at`, and what follows it matches after.
    fn run(&mut self, pattern: &Hir, at: usize, then: Then<'_, 't>) -> bool {
        self.steps += 1;
        if self.steps >= Self::LIMIT {
            return false;
        }
        match pattern.kind() {
            HirKind::Empty => then(self, at),
            HirKind::Literal(literal) => {
                let literal: Vec<char> = String::from_utf8_lossy(&literal.0).chars().collect();
                self.text[at..].starts_with(&literal) && then(self, at + literal.len())
            }
            HirKind::Class(class) => {
                self.text.get(at).is_some_and(|letter| contains(class, *letter)) && then(self, at + 1)
            }
            HirKind::Look(look) => self.looks(*look, at) && then(self, at),
            HirKind::Capture(capture) => self.run(&capture.sub, at, then),
            HirKind::Concat(parts) => self.concat(parts, at, then),
            HirKind::Alternation(parts) => parts.iter().any(|part| self.run(part, at, then)),
            HirKind::Repetition(repetition) => {
                self.repeat(&repetition.sub, repetition.min, repetition.max, at, then)
            }
        }
    }

    fn concat(&mut self, parts: &[Hir], at: usize, then: Then<'_, 't>) -> bool {
        match parts {
            [] => then(self, at),
            [first, rest @ ..] => self.run(first, at, &mut |search, at| search.concat(rest, at, then)),
        }
    }

    fn repeat(&mut self, part: &Hir, min: u32, max: Option<u32>, at: usize, then: Then<'_, 't>) -> bool {
        let once_more = max != Some(0)
            && self.run(part, at, &mut |search, next| {
                // A part that matches nothing would repeat for ever.
                (next > at || min > 0)
                    && search.repeat(part, min.saturating_sub(1), max.map(|max| max - 1), next, then)
            });
        once_more || (min == 0 && then(self, at))
    }

    fn looks(&self, look: Look, at: usize) -> bool {
        let is_word = |index: Option<usize>| {
            index
                .and_then(|index| self.text.get(index))
                .is_some_and(|letter| letter.is_alphanumeric() || *letter == '_')
        };
        let is_break = |index: Option<usize>| index.and_then(|index| self.text.get(index)) == Some(&'\n');
        let (before, after) = (at.checked_sub(1), Some(at));
        match look {
            Look::Start => at == 0,
            Look::End => at == self.text.len(),
            Look::StartLF | Look::StartCRLF => at == 0 || is_break(before),
            Look::EndLF | Look::EndCRLF => at == self.text.len() || is_break(after),
            Look::WordAscii | Look::WordUnicode => is_word(before) != is_word(after),
            Look::WordAsciiNegate | Look::WordUnicodeNegate => is_word(before) == is_word(after),
            _ => true,
        }
    }
}

fn contains(class: &Class, letter: char) -> bool {
    match class {
        Class::Unicode(class) => {
            class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&letter))
        }
        Class::Bytes(class) => u8::try_from(letter).is_ok_and(|byte| {
            class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&byte))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        match parse(pattern).unwrap() {
            Pattern::Known(hir) => is_match(&hir, text),
            Pattern::Foreign => panic!("{pattern} is foreign"),
        }
    }

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
            assert!(matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn does_not_find_what_is_not_there() {
        for (pattern, text) in
            [(r"^INV-\d{4}$", "INV-20"), ("^a$", "ab"), ("x", ""), ("^(a|b)$", "ab"), ("^a{2}$", "aaa")]
        {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn a_search_without_end_counts_as_found() {
        assert!(matches("^(a+)+$", &format!("{}b", "a".repeat(60))));
    }

    #[test]
    fn says_where_a_mistake_is() {
        assert_eq!(parse("ab(c").unwrap_err(), "unclosed group, at character 3 (`(c`)");
        assert_eq!(parse("a{2,1}").unwrap_err().split(',').next(), Some("invalid repetition count range"));
    }

    #[test]
    fn look_around_is_legal_but_not_judged() {
        assert!(matches!(parse("^(?!a)b$"), Ok(Pattern::Foreign)));
        assert!(matches!(parse(r"(a)\1"), Ok(Pattern::Foreign)));
    }
}
