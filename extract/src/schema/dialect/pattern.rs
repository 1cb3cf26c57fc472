//! The regular expressions that decoders support.

use serde_json::{Value, json};

use super::rules::KeywordSupport;
use crate::schema::validator_options;

/// Maximum repetitions. More make an automaton too large; the documentation says "large ranges"
/// without a number.
const MAX_REPETITIONS: u32 = 100;

/// The first number of copies of one part, in nested repetitions, that llama.cpp refuses.
const REFUSED_REPETITIONS: u64 = 2_000;
const TOO_OFTEN: &str = "repeats more often than decoders can follow";

/// Groups, classes, repetitions and alternatives.
pub(super) fn plain(pattern: &Value) -> KeywordSupport {
    let Some(text) = pattern.as_str() else { return KeywordSupport::No("is not a string") };
    let captured = captured(text);
    match check(&captured) {
        Ok(()) if captured == text => KeywordSupport::AsIs,
        Ok(()) => KeywordSupport::As(Value::from(captured)),
        Err(reason) => KeywordSupport::No(reason),
    }
}

/// Replaces `(?:` by `(`: not all decoders know the former, and without back-references both mean
/// the same.
fn captured(pattern: &str) -> String {
    let mut captured = String::with_capacity(pattern.len());
    let (mut is_escape, mut is_class) = (false, false);
    let mut rest = pattern.chars();
    while let Some(char) = rest.next() {
        captured.push(char);
        let was_escape = is_escape;
        is_escape = char == '\\' && !was_escape;
        match char {
            '[' if !was_escape => is_class = true,
            ']' if !was_escape => is_class = false,
            '(' if !was_escape && !is_class => {
                if let Some(inner) = rest.as_str().strip_prefix("?:") {
                    rest = inner.chars();
                }
            }
            _ => {}
        }
    }
    captured
}

/// Like [`plain`], for a pattern of the whole string. Spells out the classes `\d` and `\w`, which
/// llama.cpp does not support.
pub(super) fn anchored(pattern: &Value) -> KeywordSupport {
    let Some(text) = pattern.as_str() else { return KeywordSupport::No("is not a string") };
    let captured = captured(text);
    if let Err(reason) = check(&captured) {
        return KeywordSupport::No(reason);
    }
    if repetitions(&captured) >= REFUSED_REPETITIONS {
        return KeywordSupport::No(TOO_OFTEN);
    }
    let is_whole = text.strip_prefix('^').and_then(|rest| rest.strip_suffix('$'));
    // `^a|b$` is anchored on one side of each alternative only.
    let is_whole = is_whole.is_some_and(|inner| !inner.ends_with('\\') && !has_bare_alternatives(inner));
    if !is_whole {
        return KeywordSupport::No("is not between `^` and `$`");
    }
    match spelled_out(&captured) {
        Some(spelled) if spelled == text => KeywordSupport::AsIs,
        Some(spelled) => KeywordSupport::As(Value::from(spelled)),
        None => KeywordSupport::No("uses a class that cannot be spelled out"),
    }
}

/// The characters, each with two flags: escaped, and inside a class.
fn chars(pattern: &str) -> impl Iterator<Item = (char, bool, bool)> {
    let (mut is_escape, mut is_class) = (false, false);
    pattern.chars().filter_map(move |char| {
        let was_escape = std::mem::take(&mut is_escape);
        let was_class = is_class;
        match char {
            '\\' if !was_escape => {
                is_escape = true;
                return None;
            }
            '[' if !was_escape => is_class = true,
            ']' if !was_escape => is_class = false,
            _ => {}
        }
        Some((char, was_escape, was_class))
    })
}

fn check(pattern: &str) -> Result<(), &'static str> {
    if !is_expression(pattern) {
        return Err("is not a regular expression of ECMA-262");
    }
    let mut before = None;
    let mut count: Option<u32> = None;
    for (char, is_escape, is_class) in chars(pattern) {
        match (char, is_escape, is_class) {
            ('b' | 'B' | 'A' | 'z' | 'Z' | 'G', true, false) => return Err("looks for a boundary"),
            ('1'..='9' | 'k', true, false) => return Err("refers back to a group"),
            ('p' | 'P' | 'x' | 'u' | 'c', true, _) => {
                return Err("names characters by their properties or codes");
            }
            ('?', false, false) if before == Some('(') => return Err("has a group of a special kind"),
            ('{', false, false) => count = Some(0),
            ('}' | ',', false, false) => count = count.filter(|_| char == ',').map(|_| 0),
            (digit, false, false) if count.is_some() => {
                let value = digit.to_digit(10).unwrap_or(0);
                count = count.map(|count| count.saturating_mul(10).saturating_add(value));
                if count > Some(MAX_REPETITIONS) {
                    return Err(TOO_OFTEN);
                }
            }
            _ => {}
        }
        before = (!is_escape && !is_class).then_some(char);
    }
    Ok(())
}

/// Returns whether validators accept a pattern. They reject `[\w-.]`, which some engines accept.
fn is_expression(pattern: &str) -> bool {
    validator_options().build(&json!({ "pattern": pattern })).is_ok()
}

/// The most copies that nested repetitions make of a part.
fn repetitions(pattern: &str) -> u64 {
    // The most copies in each open group, in what was last read or closed, and anywhere.
    let (mut open, mut last, mut most, mut count) = (vec![1_u64], 1, 1, None);
    for (char, is_escape, is_class) in chars(pattern) {
        match (char, count) {
            _ if is_escape || is_class => last = 1,
            ('(', _) => {
                open.push(1);
                last = 1;
            }
            (')', _) => last = open.pop().unwrap_or(1),
            ('{', _) => count = Some((0, 0)),
            ('}', Some((before, times))) => {
                last = u64::max(before, times).max(1).saturating_mul(last);
                count = None;
            }
            (',', Some((_, times))) => count = Some((times, 0)),
            (digit, Some((before, times))) => {
                let value = u64::from(digit.to_digit(10).unwrap_or(0));
                count = Some((before, times.saturating_mul(10).saturating_add(value)));
            }
            ('*' | '+' | '?' | '|', None) => {}
            _ => last = 1,
        }
        most = most.max(last);
        if let Some(group) = open.last_mut() {
            *group = last.max(*group);
        }
    }
    most
}

fn has_bare_alternatives(inner: &str) -> bool {
    let mut depth = 0_usize;
    chars(inner).any(|(char, is_escape, is_class)| {
        if is_escape || is_class {
            return false;
        }
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        char == '|' && depth == 0
    })
}

/// `None` if a class cannot be spelled out at its position.
fn spelled_out(pattern: &str) -> Option<String> {
    let mut spelled = String::with_capacity(pattern.len());
    for (char, is_escape, is_class) in chars(pattern) {
        let members = match (char, is_escape) {
            ('d', true) => "0-9",
            ('w', true) => "A-Za-z0-9_",
            // Of all whitespace, only the space may be unescaped in a JSON string.
            ('D' | 'W' | 's' | 'S', true) => return None,
            (_, true) => {
                spelled.extend(['\\', char]);
                continue;
            }
            _ => {
                spelled.push(char);
                continue;
            }
        };
        if is_class {
            spelled.push_str(members);
        } else {
            spelled.extend(["[", members, "]"]);
        }
    }
    Some(spelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchored_as(pattern: &str) -> Result<String, &'static str> {
        match anchored(&Value::from(pattern)) {
            KeywordSupport::AsIs => Ok(pattern.to_owned()),
            KeywordSupport::As(value) => Ok(value.as_str().unwrap().to_owned()),
            KeywordSupport::Weakened(_, reason) | KeywordSupport::No(reason) => Err(reason),
        }
    }

    #[test]
    fn spells_out_the_classes_that_a_grammar_does_not_know() {
        assert_eq!(anchored_as(r"^INV-\d{4}$").unwrap(), "^INV-[0-9]{4}$");
        assert_eq!(anchored_as(r"^[\w.]+\.x$").unwrap(), r"^[A-Za-z0-9_.]+\.x$");
        assert_eq!(anchored_as("^(a|b)$").unwrap(), "^(a|b)$");
        assert!(anchored_as(r"^\D$").is_err());
        assert!(anchored_as(r"^a\sb$").is_err());
    }

    #[test]
    fn groups_that_capture_nothing_are_plain_groups() {
        for (pattern, expected) in
            [("^(?:a|(?:b))$", "^(a|(b))$"), (r"^\(?:a$", r"^\(?:a$"), (r"^[(?:]\\(?:a)$", r"^[(?:]\\(a)$")]
        {
            assert_eq!(captured(pattern), expected);
        }
        assert_eq!(anchored_as(r"^(?:\d|x)$").unwrap(), "^([0-9]|x)$");
    }

    #[test]
    fn a_grammar_needs_both_anchors() {
        for pattern in ["abc", "^abc", "abc$", "^a|b$", r"^abc\$"] {
            assert_eq!(anchored_as(pattern).unwrap_err(), "is not between `^` and `$`", "{pattern}");
        }
    }

    #[test]
    fn nested_repetitions_multiply() {
        for (pattern, times) in [
            ("^abc$", 1),
            ("^a{2,7}b{3}$", 7),
            ("^(a{50}|b){50,}$", 2_500),
            ("^((a{9}b){5}c{30})*$", 45),
            (r"^(\{9\}[{9}]){3}$", 3),
        ] {
            assert_eq!(repetitions(pattern), times, "{pattern}");
        }
        assert_eq!(anchored_as("^(a{50}){40}$").unwrap_err(), TOO_OFTEN);
        assert!(anchored_as("^(a{50}){39}$").is_ok());
    }

    #[test]
    fn refuses_what_is_no_regular_language_or_too_large() {
        for pattern in [
            r"[\w-.]+",
            "(a",
            r"^(a)\1$",
            "(?=a)b",
            "(?!a)b",
            "(?<=a)b",
            r"\bword\b",
            "a{101}",
            "a{1,1000}",
            r"\p{L}+",
        ] {
            assert!(check(pattern).is_err(), "{pattern}");
        }
        for pattern in [r"^\d{4}-\d{2}$", "[?(]a?", r"\(\?", "a{2,100}b{100}", "[{]101"] {
            assert!(check(pattern).is_ok(), "{pattern}");
        }
    }
}
