//! JSON that some encoders write although no parser takes it: halves of characters, which strings of
//! JavaScript can have, and Python's numbers that are none.

/// JSON in which everything that no parser takes is replaced.
pub(crate) struct LooseJson {
    pub(crate) json: String,
    /// How many halves of characters are U+FFFD now.
    pub(crate) halves: usize,
    /// The first halves at the end of a string: their positions and UTF-16 units.
    last: Vec<(usize, u16)>,
    /// The second halves at the start of a string.
    first: Vec<(usize, u16)>,
}

const REPLACEMENT: &str = "\\ufffd";

/// They become strings, so that nothing is lost.
const NO_NUMBERS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// Each moves everything after it. An event has the same text at few places.
const MOST_JOINED: usize = 64;

impl LooseJson {
    pub(crate) fn new(text: &str) -> Self {
        let json = String::with_capacity(text.len());
        let mut loose = Self { json, halves: 0, last: Vec::new(), first: Vec::new() };
        let (mut rest, mut string) = (text, None);
        while let Some(at) = rest.find(['"', '\\', '-', 'I', 'N']) {
            let (before, after) = rest.split_at(at);
            loose.json.push_str(before);
            let no_number = NO_NUMBERS.into_iter().find(|word| string.is_none() && after.starts_with(word));
            rest = match (string, no_number) {
                (_, Some(word)) => {
                    loose.json.extend(["\"", word, "\""]);
                    &after[word.len()..]
                }
                (Some(start), _) if after.starts_with('\\') => loose.escape(after, start),
                _ => {
                    let (char, after) = after.split_at(1);
                    loose.json.push_str(char);
                    if char == "\"" {
                        string = string.is_none().then_some(loose.json.len());
                    }
                    after
                }
            };
        }
        loose.json.push_str(rest);
        loose
    }

    /// Writes the escape that `text` begins with, in the string from `start` on. Returns the rest.
    fn escape<'t>(&mut self, text: &'t str, start: usize) -> &'t str {
        let unit = |at: usize| {
            let digits = text.get(at..at + REPLACEMENT.len())?.strip_prefix("\\u")?;
            u16::from_str_radix(digits, 16).ok()
        };
        let is_second = |unit: u16| (0xDC00..0xE000).contains(&unit);
        let length = match unit(0) {
            Some(0xD800..0xDC00) if unit(REPLACEMENT.len()).is_some_and(is_second) => 2 * REPLACEMENT.len(),
            Some(half @ 0xD800..0xE000) => {
                let (_, rest) = text.split_at(REPLACEMENT.len());
                if is_second(half) && self.json.len() == start {
                    self.first.push((start, half));
                } else if !is_second(half) && rest.starts_with('"') {
                    self.last.push((self.json.len(), half));
                }
                self.halves += 1;
                self.json.push_str(REPLACEMENT);
                return rest;
            }
            _ => text.chars().take(2).map(char::len_utf8).sum(),
        };
        let (escape, rest) = text.split_at(length);
        self.json.push_str(escape);
        rest
    }

    /// Returns whether another half may follow in the next event.
    pub(crate) fn ends_with_half(&self) -> bool {
        !self.last.is_empty()
    }

    /// Puts the characters together of which the second half is in `next`.
    pub(crate) fn join(&mut self, next: &mut Self) {
        let pairs: Vec<_> = self.last.drain(..).zip(next.first.drain(..)).take(MOST_JOINED).collect();
        // From the end, so that the positions stay.
        for ((at, high), (start, low)) in pairs.into_iter().rev() {
            self.json.replace_range(at..at + REPLACEMENT.len(), &format!("\\u{high:04x}\\u{low:04x}"));
            next.json.replace_range(start..start + REPLACEMENT.len(), "");
            next.last.iter_mut().filter(|(at, _)| *at > start).for_each(|(at, _)| *at -= REPLACEMENT.len());
            (self.halves, next.halves) = (self.halves - 1, next.halves - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_parser_takes_is_replaced_and_all_else_is_kept() {
        for (text, expected) in [
            (r#"{"a": [NaN, -Infinity, Infinity, -1]}"#, r#"{"a": ["NaN", "-Infinity", "Infinity", -1]}"#),
            (r#"{"NaN": "-Infinity \" NaN"}"#, r#"{"NaN": "-Infinity \" NaN"}"#),
            (r#"["a\ud83db", "\ude00", "\ud83d\ud83d"]"#, r#"["a\ufffdb", "\ufffd", "\ufffd\ufffd"]"#),
            (r#"["\ud83d\ude00", "\\ud83d", "\u00e9"]"#, r#"["\ud83d\ude00", "\\ud83d", "\u00e9"]"#),
            ("\"\\\u{e9}\\u12", "\"\\\u{e9}\\u12"),
            ("\"\\", "\"\\"),
        ] {
            assert_eq!(LooseJson::new(text).json, expected);
        }
    }

    #[test]
    fn halves_are_joined_in_order() {
        let mut first = LooseJson::new(r#"{"a": "x\ud83d", "b": ["\ud83d", "\ud83d!"]}"#);
        let mut next = LooseJson::new(r#"{"a": "\ude00\ud83d", "b": ["\ude01"]}"#);
        assert!(first.ends_with_half());
        first.join(&mut next);
        assert_eq!(first.json, r#"{"a": "x\ud83d\ude00", "b": ["\ud83d\ude01", "\ufffd!"]}"#);
        assert_eq!(next.json, r#"{"a": "\ufffd", "b": [""]}"#);
        assert_eq!((first.halves, next.halves), (1, 1));
        let mut last = LooseJson::new(r#"["\ude02"]"#);
        next.join(&mut last);
        assert_eq!((&*next.json, &*last.json), (r#"{"a": "\ud83d\ude02", "b": [""]}"#, r#"[""]"#));
    }
}
