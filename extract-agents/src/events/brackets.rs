//! The brackets of JSON that arrives in parts.

/// How many brackets of a text are open, and whether it ends inside of a string.
#[derive(Debug, Default)]
pub(crate) struct Brackets {
    open: usize,
    is_in_string: bool,
    /// Whether the text ends with the backslash of an escape.
    is_escaped: bool,
}

impl Brackets {
    /// Counts the brackets of `text`, which follows what was counted before.
    pub(crate) fn push(&mut self, text: &str) {
        for c in text.chars() {
            if self.is_outside(c) {
                match c {
                    '{' | '[' => self.open += 1,
                    '}' | ']' => self.open = self.open.saturating_sub(1),
                    _ => {}
                }
            }
        }
    }

    /// Returns whether every bracket is closed.
    pub(crate) fn are_closed(&self) -> bool {
        self.open == 0
    }

    /// Passes `c`, and returns whether it belongs to no string.
    fn is_outside(&mut self, c: char) -> bool {
        let was_inside = self.is_in_string;
        let is_escaped = std::mem::take(&mut self.is_escaped);
        self.is_in_string ^= c == '"' && !is_escaped;
        self.is_escaped = self.is_in_string && c == '\\' && !is_escaped;
        !was_inside && !self.is_in_string
    }
}

/// Returns JSON without its strings.
pub(crate) fn outside_strings(json: &str) -> String {
    let mut brackets = Brackets::default();
    json.chars().filter(|c| brackets.is_outside(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_do_not_count_wherever_the_text_is_split() {
        let json = r#"{"a\\": "}\"]", "b": [1]}"#;
        for at in 0..json.len() {
            let mut brackets = Brackets::default();
            brackets.push(&json[..at]);
            assert_eq!(brackets.are_closed(), at == 0, "{at}");
            brackets.push(&json[at..]);
            assert!(brackets.are_closed(), "{at}");
        }
        assert_eq!(outside_strings(json), "{: , : [1]}");
    }
}
