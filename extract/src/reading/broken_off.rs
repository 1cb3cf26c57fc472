//! Finds where truncated JSON breaks off.

use crate::vocabulary::{
    path::{Path, Segment},
    tokens::{Bracket, Lexeme, Role, Token, Walk, lexemes},
};

/// Deepest nesting that is followed.
const MAX_LEVELS: usize = 256;

/// Bytes of the longest escape sequence: a surrogate pair.
const LONGEST_ESCAPE: usize = 12;

/// JSON that ends inside a list, an object or a string, with the brackets open at its end.
#[derive(Debug)]
pub(crate) struct BrokenOff<'t> {
    text: &'t str,
    walk: Walk<Level<'t>>,
    /// The first byte after the opening quote, if the text ends inside a string.
    string: Option<usize>,
}

/// An open bracket.
#[derive(Debug)]
struct Level<'t> {
    /// How many elements or members are complete.
    children: usize,
    /// The raw key of the member that is being written.
    key: Option<&'t str>,
    /// End of the last complete child, or the byte after the opening bracket if there is none.
    kept: usize,
}

impl<'t> BrokenOff<'t> {
    /// Scans `text` from its first byte. Returns `None` if `text` is complete, ends outside
    /// brackets and strings, or is not strict JSON.
    pub(crate) fn of(text: &'t str) -> Option<Self> {
        let mut broken = Self { text, walk: Walk::default(), string: None };
        for Lexeme { token, start, end, .. } in lexemes(text, 0) {
            match (broken.walk.role(token)?, end) {
                (Role::Open(bracket), Some(at)) => {
                    broken.walk.enter(bracket, Level { children: 0, key: None, kept: at });
                    if broken.levels() > MAX_LEVELS {
                        return None;
                    }
                }
                (Role::Close { is_after_comma: false }, Some(at)) => {
                    broken.walk.leave()?;
                    broken.child(at)?;
                }
                (Role::Key, Some(at)) if token == Token::String => {
                    broken.walk.innermost()?.key = Some(&text[start..at]);
                    broken.walk.pass(Role::Key);
                }
                (Role::Scalar, Some(at)) => {
                    broken.walk.pass(Role::Scalar);
                    // A scalar alone may have ended with the text.
                    if broken.levels() > 0 {
                        broken.child(at)?;
                    }
                }
                (Role::Scalar, None) if token == Token::String => broken.string = Some(start + 1),
                // A key, a word or a number at the end of the text may be incomplete.
                (Role::Key | Role::Scalar, None) => {}
                (role @ (Role::Comma | Role::Colon), _) => broken.walk.pass(role),
                _ => return None,
            }
        }
        (broken.levels() > 0 || broken.string.is_some()).then_some(broken)
    }

    /// A value ends before byte `at`, inside of another one.
    fn child(&mut self, at: usize) -> Option<()> {
        let level = self.walk.innermost()?;
        level.children += 1;
        level.kept = at;
        level.key = None;
        Some(())
    }

    /// The number of open brackets.
    pub(crate) fn levels(&self) -> usize {
        self.walk.open().len()
    }

    fn level(&self, level: usize) -> &Level<'t> {
        &self.walk.open()[level].1
    }

    /// Returns whether the bracket at `level`, counted from 0, opens a list.
    pub(crate) fn is_list(&self, level: usize) -> bool {
        self.walk.open()[level].0 == Bracket::List
    }

    /// The number of complete elements or members at `level`.
    pub(crate) fn children(&self, level: usize) -> usize {
        self.level(level).children
    }

    /// How many bytes remain once the incomplete child at `level` is dropped.
    pub(crate) fn kept(&self, level: usize) -> usize {
        self.level(level).kept
    }

    /// Returns whether an incomplete element or member has begun at `level`.
    pub(crate) fn has_begun(&self, level: usize) -> bool {
        let rest = self.text[self.kept(level)..].trim_start();
        !rest.strip_prefix(',').unwrap_or(rest).trim_start().is_empty()
    }

    /// The path of the list or object at `level`, or of the open string for one level past the
    /// last. `None` if a key on the way is not a JSON string.
    pub(crate) fn path(&self, level: usize) -> Option<Path> {
        self.walk.open()[..level].iter().try_fold(Path::root(), |path, (bracket, level)| {
            Some(match level.key {
                _ if *bracket == Bracket::List => path.step(Segment::Index(level.children)),
                Some(key) => path.key(serde_json::from_str::<String>(key).ok()?),
                None => return None,
            })
        })
    }

    /// The text without the incomplete child at `level`, closed.
    pub(crate) fn closed(&self, level: usize) -> String {
        self.closed_with(&self.text[..self.kept(level)], level + 1)
    }

    /// The complete characters of the open string, and the text closed right after them.
    pub(crate) fn string(&self) -> Option<(String, String)> {
        let start = self.string?;
        let body = &self.text[start..];
        let ends = (0..=LONGEST_ESCAPE.min(body.len())).map(|less| body.len() - less);
        let (end, string) = ends.filter(|end| body.is_char_boundary(*end)).find_map(|end| {
            let string = serde_json::from_str(&format!("\"{}\"", &body[..end])).ok()?;
            Some((end, string))
        })?;
        let closed = self.closed_with(&format!("{}\"", &self.text[..start + end]), self.levels());
        Some((string, closed))
    }

    fn closed_with(&self, text: &str, levels: usize) -> String {
        let closer = |(bracket, _): &(Bracket, _)| if *bracket == Bracket::List { ']' } else { '}' };
        text.chars().chain(self.walk.open()[..levels].iter().rev().map(closer)).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn shown(text: &str) -> Option<Vec<(String, usize, String)>> {
        let broken = BrokenOff::of(text)?;
        let level =
            |level| Some((broken.path(level)?.to_string(), broken.children(level), broken.closed(level)));
        (0..broken.levels()).map(level).collect()
    }

    #[test]
    fn says_what_is_open_and_what_is_complete() {
        let level = |path: &str, children, closed: &str| (path.to_owned(), children, closed.to_owned());
        assert_eq!(shown("[1, 2, 34"), Some(vec![level("$", 2, "[1, 2]")]));
        assert_eq!(shown("[1, 2, 34 "), Some(vec![level("$", 3, "[1, 2, 34]")]));
        assert_eq!(shown("["), Some(vec![level("$", 0, "[]")]));
        assert_eq!(
            shown(r#"{"a": 1, "b\n": [[1], {"c": tr"#),
            Some(vec![
                level("$", 1, r#"{"a": 1}"#),
                level(r#"$["b\n"]"#, 1, r#"{"a": 1, "b\n": [[1]]}"#),
                level(r#"$["b\n"][1]"#, 0, r#"{"a": 1, "b\n": [[1], {}]}"#),
            ])
        );
        for complete_or_not_strict in ["[1]", "12", "", "[1,]", "[1}", "{'a': [", "[1, 2] x", "{\"a\" 1"] {
            assert_eq!(shown(complete_or_not_strict), None, "{complete_or_not_strict}");
        }
    }

    #[test]
    fn says_whether_another_child_has_begun() {
        for (text, has_begun) in [
            ("[", false),
            ("[ 1", true),
            ("[1, ", false),
            ("[1 , 2", true),
            (r#"["a""#, false),
            (r#"["a", ""#, true),
            ("[{}, {", true),
            ("[{} ", false),
        ] {
            assert_eq!(BrokenOff::of(text).unwrap().has_begun(0), has_begun, "{text}");
        }
    }

    #[test]
    fn keeps_whole_characters_of_a_string() {
        for (text, string) in [
            (r#""ab"#, "ab"),
            (r#"["x", "ab\"#, "ab"),
            (r#"["x", "ab\u00"#, "ab"),
            (r#"{"a": "\ud83d\ude0"#, ""),
            (r#"{"a": "\ud83d\ude00"#, "😀"),
            (r#"{"a": "\\"#, "\\"),
        ] {
            let broken = BrokenOff::of(text).unwrap();
            let (found, closed) = broken.string().unwrap();
            assert_eq!(found, string, "{text}");
            let value: Value = serde_json::from_str(&closed).unwrap();
            assert_eq!(broken.path(broken.levels()).unwrap().resolve(&value), Some(&Value::from(string)));
        }
    }

    #[test]
    fn every_start_of_a_value_closes_to_a_part_of_it() {
        let text = r#"{"a": [{"b": "x\"y", "c": [1.5, null, "é"]}, {"b": {}}], "d": {"e": [[], [true]]}}"#;
        for end in (1..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let broken = BrokenOff::of(&text[..end]).unwrap();
            for level in 0..broken.levels() {
                let closed = broken.closed(level);
                let value: Value = serde_json::from_str(&closed).unwrap();
                let Some(path) = broken.path(level) else { continue };
                let part = path.resolve(&value).unwrap();
                let len = part.as_array().map(Vec::len).or(part.as_object().map(serde_json::Map::len));
                assert_eq!(len, Some(broken.children(level)), "{closed}");
            }
        }
    }

    #[test]
    fn a_thousand_brackets_are_not_followed() {
        assert!(BrokenOff::of(&"[".repeat(MAX_LEVELS)).is_some());
        assert!(BrokenOff::of(&"[".repeat(MAX_LEVELS + 1)).is_none());
    }
}
