//! Detects additions that repeat the end of the text that they should continue.

use super::sign::JoinSign;

/// Bytes at the end of a text that an addition is compared with.
const WINDOW: usize = 64 * 1024;

/// Minimum bytes of a repetition inside a word or a number. A shorter one cannot be told from a
/// word such as `banana` that simply goes on.
const MIN_BYTES: usize = 4;

/// The text to compare with, without white space between tokens.
pub(super) struct TextEnd<'t> {
    pub(super) text: &'t [u8],
    /// Bytes of the string or word that is open at the end.
    pub(super) token: Option<usize>,
    pub(super) is_in_string: bool,
}

impl TextEnd<'_> {
    /// Returns whether `addition` repeats the end of the text before it goes on. `Maybe` if it is
    /// too short to tell: so far, it occurs somewhere in the text.
    pub(super) fn repeated_by(&self, addition: &[u8]) -> JoinSign {
        if self.has_token_again(addition) {
            return JoinSign::Yes;
        }
        let window = &self.text[self.text.len().saturating_sub(WINDOW)..];
        let start = &addition[..addition.len().min(WINDOW)];
        let found = StartOccurrence::of(start, window);
        if self.is_telling(&start[..found.at_end]) {
            JoinSign::Yes
        } else if found.is_anywhere {
            JoinSign::Maybe
        } else {
            JoinSign::No
        }
    }

    /// Returns whether `addition` starts with the whole string, word or number that is open, or
    /// with the last word of that string.
    fn has_token_again(&self, addition: &[u8]) -> bool {
        let Some(bytes) = self.token.filter(|bytes| *bytes > 0) else { return false };
        let token = &self.text[self.text.len() - bytes..];
        let word = if self.is_in_string { last_word(token) } else { token };
        addition.starts_with(token) || !word.is_empty() && addition.starts_with(word)
    }

    /// Returns whether `repeated`, with which the text ends and the addition starts, is there twice
    /// by mistake rather than because the value is so.
    fn is_telling(&self, repeated: &[u8]) -> bool {
        let Some(first) = repeated.first() else { return false };
        if repeated.len() >= MIN_BYTES && (self.is_in_string || self.token.is_some()) {
            return true;
        }
        if self.is_in_string {
            // A space, or the end of a word. Escapes follow each other, as in a blank line.
            let ends_word = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
            let has_escape = repeated.contains(&b'\\');
            return *first == b' ' || repeated.len() > 1 && !has_escape && repeated.iter().any(ends_word);
        }
        // Too many brackets of one kind do not make a value, so the join shows them. Digits are part
        // of a number.
        let is_all = |is: fn(&u8) -> bool| repeated.iter().all(is);
        let is_of_brackets = is_all(|byte| b"]}".contains(byte)) || is_all(|byte| b"[{".contains(byte));
        let is_of_number = self.token.is_some() && is_all(|byte| !b",:\"[]{}".contains(byte));
        !is_of_brackets && !is_of_number
    }
}

/// The letters and digits at the end of the string `content`, as written in JSON.
fn last_word(content: &[u8]) -> &[u8] {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let start = content.iter().rposition(|byte| !is_of_word(byte)).map_or(0, |at| at + 1);
    let word = &content[start..];
    if start == 0 || content[start - 1] != b'\\' {
        return word;
    }
    // An escape: `\n`, `\u00e9`. After an escaped backslash, a word may lose its first letter here.
    let escape = if word.first() == Some(&b'u') { 5 } else { 1 };
    word.get(escape..).unwrap_or_default()
}

/// Where the start of an addition occurs in a text.
struct StartOccurrence {
    /// Bytes of the longest start of the addition with which the text ends.
    at_end: usize,
    /// Whether all of it occurs somewhere in the text.
    is_anywhere: bool,
}

impl StartOccurrence {
    /// Looks for `start` in `text`, by the algorithm of Knuth, Morris and Pratt: in linear time.
    fn of(start: &[u8], text: &[u8]) -> Self {
        let lengths = prefix_lengths(start);
        let (mut length, mut is_anywhere) = (0, start.is_empty());
        for byte in text {
            while length > 0 && start.get(length) != Some(byte) {
                length = lengths[length - 1];
            }
            length += usize::from(start.get(length) == Some(byte));
            is_anywhere |= length == start.len();
        }
        Self { at_end: length, is_anywhere }
    }
}

/// For each byte, the longest proper start of `text` that ends there.
fn prefix_lengths(text: &[u8]) -> Vec<usize> {
    let mut lengths = vec![0; text.len()];
    for index in 1..text.len() {
        let mut length: usize = lengths[index - 1];
        while length > 0 && text[index] != text[length] {
            length = lengths[length - 1];
        }
        lengths[index] = length + usize::from(text[index] == text[length]);
    }
    lengths
}
