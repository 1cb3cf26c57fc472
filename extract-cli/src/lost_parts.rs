//! Parts of a JSON text that a value cannot keep: digits, and all but the last of equal keys.

use std::collections::HashSet;

use extract::Path;
use serde_json::{Number, Value};

/// What a value does not keep of a JSON text.
#[derive(Debug, Default)]
pub(crate) struct LostParts {
    /// The numbers that a double or a 64-bit integer rounds, each with its path.
    pub(crate) rounded: Vec<(Path, String)>,
    /// The paths of members whose key an earlier member of the same object has.
    pub(crate) repeated: Vec<Path>,
}

impl LostParts {
    /// Those of `json`, which is valid.
    pub(crate) fn of(json: &str) -> Self {
        let mut scanner = LostPartScanner { json, at: 0, lost: Self::default() };
        scanner.value(&Path::root());
        scanner.lost
    }
}

/// Walks through a valid JSON text. The parser that read it before bounds its depth.
struct LostPartScanner<'j> {
    json: &'j str,
    at: usize,
    lost: LostParts,
}

impl<'j> LostPartScanner<'j> {
    fn value(&mut self, path: &Path) {
        match self.next() {
            Some(b'{') => self.members(path),
            Some(b'[') => self.items(path),
            Some(b'"') => drop(self.string()),
            _ => {
                let word = self.word();
                if word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) && is_rounded(word) {
                    self.lost.rounded.push((path.clone(), word.to_owned()));
                }
            }
        }
    }

    fn members(&mut self, path: &Path) {
        self.at += 1;
        let mut names = HashSet::new();
        while let Some(byte) = self.next() {
            if byte == b'"' {
                let name: String = serde_json::from_str(self.string()).unwrap_or_default();
                // The colon.
                self.next();
                self.at += 1;
                let path = path.clone().key(&name);
                self.value(&path);
                if !names.insert(name) {
                    self.lost.repeated.push(path);
                }
                continue;
            }
            self.at += 1;
            if byte == b'}' {
                return;
            }
        }
    }

    fn items(&mut self, path: &Path) {
        self.at += 1;
        let mut index = 0;
        while let Some(byte) = self.next() {
            match byte {
                b']' => {
                    self.at += 1;
                    return;
                }
                b',' => self.at += 1,
                _ => {
                    self.value(&path.clone().index(index));
                    index += 1;
                }
            }
        }
    }

    /// The next byte after white space.
    fn next(&mut self) -> Option<u8> {
        let rest = &self.json.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.json.as_bytes().get(self.at).copied()
    }

    /// A string with its quotation marks.
    fn string(&mut self) -> &'j str {
        let start = self.at;
        let mut is_escaped = false;
        for (offset, byte) in self.json.as_bytes()[start..].iter().enumerate().skip(1) {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => {
                    self.at = start + offset + 1;
                    return &self.json[start..self.at];
                }
                _ => {}
            }
        }
        self.at = self.json.len();
        &self.json[start..]
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> &'j str {
        let start = self.at;
        let rest = &self.json.as_bytes()[start..];
        let length = rest
            .iter()
            .take_while(|byte| !matches!(byte, b',' | b']' | b'}') && !byte.is_ascii_whitespace())
            .count();
        // Always goes on.
        self.at = start + length.max(1);
        &self.json[start..start + length]
    }
}

fn is_rounded(word: &str) -> bool {
    let kept: Option<Number> = serde_json::from_str::<Value>(word).ok().and_then(|value| match value {
        Value::Number(number) => Some(number),
        _ => None,
    });
    kept.is_none_or(|kept| decimal(&kept.to_string()) != decimal(word))
}

/// The sign, the digits without zeros at either end, and the power of ten of the last one.
fn decimal(word: &str) -> (bool, String, i64) {
    let length = |text: &str| i64::try_from(text.len()).unwrap_or(i64::MAX);
    let (is_negative, word) = word.strip_prefix('-').map_or((false, word), |rest| (true, rest));
    let (number, power) = word.split_once(['e', 'E']).unwrap_or((word, "0"));
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let all = format!("{whole}{part}");
    let digits = all.trim_end_matches('0');
    let zeros = length(&all) - length(digits);
    let power = power.parse::<i64>().unwrap_or(i64::MAX / 2);
    match digits.trim_start_matches('0') {
        "" => (false, String::new(), 0),
        digits => (is_negative, digits.to_owned(), power.saturating_sub(length(part)).saturating_add(zeros)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_kept_are_not_named() {
        for json in [
            "1.10",
            "9007199254740993",
            "-0.0",
            "1e2",
            "[100, 0.1, -17, 18446744073709551615]",
            "1E-7",
            r#"{"a": "0.12345678901234567890123", "1.00000000000000000000001": [true, null, {}]}"#,
            "[]",
            "{}",
        ] {
            assert_eq!(LostParts::of(json).rounded, [], "{json}");
        }
    }

    #[test]
    fn keys_that_an_object_has_twice_are_named() {
        let json = r#"{"a": [{"b": 1, "b": {"a": 2}}], "c": {"b": 3}, "\u0061": 4}"#;
        let found: Vec<_> = LostParts::of(json).repeated.iter().map(Path::to_pointer).collect();
        assert_eq!(found, ["/a/0/b", "/a"]);
    }

    #[test]
    fn numbers_that_would_be_rounded_are_named() {
        let json = r#" { "a\"]" : [ 1 , {"b":0.12345678901234567890} ], "c" : 18446744073709551617, "d":1.00000000000000000001}"#;
        let rounded = LostParts::of(json).rounded.into_iter();
        let found: Vec<_> = rounded.map(|(path, word)| (path.to_pointer(), word)).collect();
        let named = |path: &str, word: &str| (path.to_owned(), word.to_owned());
        assert_eq!(
            found,
            [
                named("/a\"]/1/b", "0.12345678901234567890"),
                named("/c", "18446744073709551617"),
                named("/d", "1.00000000000000000001")
            ]
        );
    }
}
