//! Letters with marks, and the letters without them.
//!
//! A model may omit the marks of a name, or write `ss` for `ß`. Only Latin letters are the same
//! without their marks, and only in words: `Å` and `A` are two units, and in other scripts a mark
//! may be a letter of its own.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, char::decompose_canonical};

/// Composes each letter with its marks into one character, if there is one (NFC).
pub(super) fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}

/// The plain letters for `c`: usually itself.
pub(super) fn plain(c: char) -> impl Iterator<Item = char> {
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
