//! Finds where truncated JSON breaks off.

use crate::path::{Path, Segment};

/// Deepest nesting that is followed.
const MAX_LEVELS: usize = 256;

/// Bytes of the longest escape sequence: a surrogate pair.
const LONGEST_ESCAPE: usize = 12;

/// JSON that ends inside a list, an object or a string, with the brackets open at its end.
#[derive(Debug)]
pub(crate) struct BrokenOff<'t> {
    text: &'t str,
    levels: Vec<Level<'t>>,
    /// The first byte after the opening quote, if the text ends inside a string.
    string: Option<usize>,
}

/// An open bracket.
#[derive(Debug)]
struct Level<'t> {
    is_list: bool,
    /// How many elements or members are complete.
    children: usize,
    /// The raw key of the member that is being written.
    key: Option<&'t str>,
    /// End of the last complete child, or the byte after the opening bracket if there is none.
    kept: usize,
}

/// The token that may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    /// A value, or the end of the list.
    FirstElement,
    /// A key, or the end of the object.
    FirstKey,
    Key,
    Colon,
    /// A comma or a closing bracket.
    Comma,
}

impl<'t> BrokenOff<'t> {
    /// Scans `text` from its first byte. Returns `None` if `text` is complete, ends outside
    /// brackets and strings, or is not strict JSON.
    pub(crate) fn of(text: &'t str) -> Option<Self> {
        let mut broken = Self { text, levels: Vec::new(), string: None };
        let bytes = text.as_bytes();
        let (mut at, mut next) = (0, Next::Value);
        while let Some(byte) = bytes.get(at) {
            at += 1;
            match (byte, next) {
                (b' ' | b'\t' | b'\n' | b'\r', _) => {}
                (b'{' | b'[', Next::Value | Next::FirstElement) => {
                    let is_list = *byte == b'[';
                    broken.levels.push(Level { is_list, children: 0, key: None, kept: at });
                    if broken.levels.len() > MAX_LEVELS {
                        return None;
                    }
                    next = if is_list { Next::FirstElement } else { Next::FirstKey };
                }
                (b']', Next::FirstElement | Next::Comma) | (b'}', Next::FirstKey | Next::Comma) => {
                    let level = broken.levels.pop()?;
                    if level.is_list != (*byte == b']') || broken.levels.is_empty() {
                        return None;
                    }
                    next = broken.child(at);
                }
                (b',', Next::Comma) => {
                    next = if broken.levels.last()?.is_list { Next::Value } else { Next::Key };
                }
                (b':', Next::Colon) => next = Next::Value,
                (b'"', Next::FirstKey | Next::Key) => {
                    let start = at - 1;
                    let Some(end) = end_of_string(bytes, at) else { break };
                    at = end;
                    broken.levels.last_mut()?.key = Some(&text[start..end]);
                    next = Next::Colon;
                }
                (b'"', Next::Value | Next::FirstElement) => {
                    let Some(end) = end_of_string(bytes, at) else {
                        broken.string = Some(at);
                        break;
                    };
                    at = end;
                    next = broken.child(at);
                }
                (byte, Next::Value | Next::FirstElement) if is_of_word(*byte) => {
                    let rest = bytes[at..].iter().position(|byte| !is_of_word(*byte));
                    // A word or a number at the end of the text may be incomplete.
                    let Some(rest) = rest else { break };
                    at += rest;
                    next = broken.child(at);
                }
                _ => return None,
            }
        }
        (!broken.levels.is_empty() || broken.string.is_some()).then_some(broken)
    }

    /// A value ends before byte `at`.
    fn child(&mut self, at: usize) -> Next {
        if let Some(level) = self.levels.last_mut() {
            level.children += 1;
            level.kept = at;
            level.key = None;
        }
        Next::Comma
    }

    /// The number of open brackets.
    pub(crate) fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Returns whether the bracket at `level`, counted from 0, opens a list.
    pub(crate) fn is_list(&self, level: usize) -> bool {
        self.levels[level].is_list
    }

    /// The number of complete elements or members at `level`.
    pub(crate) fn children(&self, level: usize) -> usize {
        self.levels[level].children
    }

    /// How many bytes remain once the incomplete child at `level` is dropped.
    pub(crate) fn kept(&self, level: usize) -> usize {
        self.levels[level].kept
    }

    /// Returns whether an incomplete element or member has begun at `level`.
    pub(crate) fn has_begun(&self, level: usize) -> bool {
        let rest = self.text[self.kept(level)..].trim_start();
        !rest.strip_prefix(',').unwrap_or(rest).trim_start().is_empty()
    }

    /// The path of the list or object at `level`, or of the open string for one level past the
    /// last. `None` if a key on the way is not a JSON string.
    pub(crate) fn path(&self, level: usize) -> Option<Path> {
        self.levels[..level].iter().try_fold(Path::root(), |path, level| {
            Some(match level.key {
                _ if level.is_list => path.step(Segment::Index(level.children)),
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
        let closed = self.closed_with(&format!("{}\"", &self.text[..start + end]), self.levels.len());
        Some((string, closed))
    }

    fn closed_with(&self, text: &str, levels: usize) -> String {
        let brackets = self.levels[..levels].iter().rev().map(|level| if level.is_list { ']' } else { '}' });
        text.chars().chain(brackets).collect()
    }
}

/// Returns the byte after the closing quote of the string, searched from byte `at` on.
fn end_of_string(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Returns whether `byte` can be part of a number or a word.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
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
