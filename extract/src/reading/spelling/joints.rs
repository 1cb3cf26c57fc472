//! Tells joints between words from signs, and letters with marks from the letters without them.
//!
//! A model may omit the marks of a name, or write `ss` for `ß`. Only Latin letters are the same
//! without their marks, and only in words: `Å` and `A` are two units, and in other scripts a mark
//! may be a letter of its own.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, char::decompose_canonical};

/// A character that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) c: char,
    /// Whether a joint precedes it.
    pub(super) is_parted: bool,
    /// The original letter in lower case, if it has marks or is `ß`.
    pub(super) marked: Option<char>,
}

impl Kept {
    /// The plain letters of `c`, which may have a joint before it.
    fn all(c: char, is_parted: bool) -> impl Iterator<Item = Self> {
        let is_plain = letters_of(c).eq([c]);
        let marked = c.to_lowercase().next().filter(|_| !is_plain);
        letters_of(c).map(move |c| Self { c, is_parted, marked })
    }
}

/// The characters of `text` without joints: spaces, underscores, single dots and hyphens between
/// words.
///
/// Between digits every character counts. So does a hyphen that may be a minus: at an end, beside a
/// space, or between two parts if neither is a word of two letters or more (`T-1`).
pub(super) fn kept(text: &str) -> Vec<Kept> {
    let chars: Vec<char> = composed(plain(text)).chars().filter(|c| !is_invisible(*c)).collect();
    let mut kept = Vec::with_capacity(chars.len());
    let mut at = 0;
    let mut is_parted = false;
    while at < chars.len() {
        let length = chars[at..].iter().take_while(|c| may_join(**c)).count();
        if length > 0 && is_joint(&chars, at, at + length) {
            (is_parted, at) = (true, at + length);
            continue;
        }
        for c in &chars[at..at + length.max(1)] {
            kept.extend(Kept::all(*c, is_parted));
            is_parted = false;
        }
        at += length.max(1);
    }
    kept
}

/// Returns whether nobody sees `c`, and no script needs it: a soft hyphen, a space without width, a
/// word joiner or a byte order mark.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

/// `text` without anything around a word: spaces, a pair of quotes, a mark that ends a sentence or
/// a heading.
fn plain(text: &str) -> &str {
    let text = text.trim();
    let bold = text.strip_prefix("**").and_then(|text| text.strip_suffix("**"));
    let text = bold.filter(|inside| !inside.is_empty()).unwrap_or(text);
    let quoted = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’')].into_iter().find_map(
        |(open, close)| text.strip_prefix(open)?.strip_suffix(close).filter(|inside| !inside.is_empty()),
    );
    let text = quoted.unwrap_or(text).trim();
    match text.strip_suffix(['.', ',', ':', ';']) {
        Some(word) if word.ends_with(char::is_alphanumeric) => word,
        _ => text,
    }
}

fn may_join(c: char) -> bool {
    c.is_whitespace() || matches!(c, '_' | '.') || is_hyphen(c)
}

/// Returns whether `c` is a hyphen, including the non-breaking one, but not a dash or a minus sign.
fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}')
}

/// Returns whether the characters from `start` to `end` only join their neighbours.
fn is_joint(chars: &[char], start: usize, end: usize) -> bool {
    let (before, after) = (&chars[..start], &chars[end..]);
    let (left, right) = (before.last(), after.first());
    let is_digit = |c: Option<&char>| c.is_some_and(|c| c.is_numeric());
    if is_digit(left) && is_digit(right) {
        return false;
    }
    let is_inside = [left, right].into_iter().all(|c| c.is_some_and(|c| c.is_alphanumeric()));
    match &chars[start..end] {
        joints if joints.iter().all(|c| c.is_whitespace() || *c == '_') => true,
        ['.'] => is_inside,
        [hyphen] if is_hyphen(*hyphen) => {
            is_inside && (is_word(before.iter().rev()) || is_word(after.iter()))
        }
        _ => false,
    }
}

/// Returns whether it starts with at least two letters and digits, one of which is a letter.
fn is_word<'c>(chars: impl Iterator<Item = &'c char>) -> bool {
    let run: Vec<&char> = chars.take_while(|c| c.is_alphanumeric()).take(8).collect();
    run.len() >= 2 && run.iter().any(|c| c.is_alphabetic())
}

/// Composes each letter with its marks into one character, if there is one (NFC).
pub(super) fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}

/// The plain letters for `c`: usually itself.
pub(super) fn letters_of(c: char) -> impl Iterator<Item = char> {
    let (first, second) = match c {
        c if c.is_ascii() => (c, None),
        'ß' => ('s', Some('s')),
        'ẞ' => ('S', Some('S')),
        // The same letters in full width.
        '！'..='～' => (char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c), None),
        c => (base(c).unwrap_or(c), None),
    };
    std::iter::once(first).chain(second)
}

/// The Latin letter under the marks of `c`.
fn base(c: char) -> Option<char> {
    let mut parts = (None, true);
    decompose_canonical(c, |part| match parts.0 {
        None => parts.0 = Some(part),
        Some(_) => parts.1 &= ('\u{300}'..='\u{36f}').contains(&part),
    });
    parts.0.filter(|base| base.is_ascii_alphabetic() && parts.1)
}
