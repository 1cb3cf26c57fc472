//! Kinds of characters, for comparing and cutting texts.

use unicode_normalization::char::is_combining_mark;

/// Returns whether both characters belong to one that a reader sees: a letter with a combining
/// mark, an emoji of several characters, a Hangul syllable.
pub(super) fn joins(before: char, after: char) -> bool {
    if after.is_ascii() {
        return before == '\u{200d}';
    }
    let is_jamo = |c| ('\u{1100}'..='\u{11ff}').contains(&c) || ('\u{ac00}'..='\u{d7a3}').contains(&c);
    is_combining_mark(after)
        || before == '\u{200d}'
        || after == '\u{200d}'
        // Voicing marks of halfwidth katakana.
        || matches!(after, '\u{ff9e}' | '\u{ff9f}')
        // Skin tones, and the tags that spell regional flags.
        || matches!(after, '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}')
        || (matches!(after, '\u{1160}'..='\u{11ff}') && is_jamo(before))
}

/// Returns whether a cut at byte `at` would split a visible character, see [`joins`].
pub(super) fn is_inside_character(text: &str, at: usize) -> bool {
    match (char_before(text, at), char_after(text, at)) {
        (Some(before), Some(after)) => joins(before, after),
        _ => false,
    }
}

/// Returns whether a cut at byte `at` would split a run of letters or of digits.
pub(super) fn is_inside_word(text: &str, at: usize) -> bool {
    match (char_before(text, at), char_after(text, at)) {
        (Some(before), Some(after)) => {
            (is_letter(before) && is_letter(after)) || (before.is_numeric() && after.is_numeric())
        }
        _ => false,
    }
}

/// Returns whether `c` is a letter or mark of a script with spaces between words.
fn is_letter(c: char) -> bool {
    (c.is_alphabetic() || (!c.is_ascii() && is_combining_mark(c))) && !is_unspaced(c)
}

pub(super) fn char_before(text: &str, at: usize) -> Option<char> {
    text.get(..at)?.chars().next_back()
}

pub(super) fn char_after(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// Returns whether `c` belongs to a script without spaces between words: Chinese or Japanese,
/// including punctuation, or a script of Southeast Asia.
pub(super) fn is_unspaced(c: char) -> bool {
    is_east_asian(c)
        || matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// Returns whether `c` is Chinese or Japanese, including punctuation.
pub(super) fn is_east_asian(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{2fdf}' | '\u{3001}'..='\u{30ff}' | '\u{3100}'..='\u{312f}' | '\u{31a0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff01}'..='\u{ff60}' | '\u{ff65}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns whether `c` is invisible and without meaning. Joiners are not included: they change
/// words and emoji.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// `text` without leading and trailing whitespace and invisible characters.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || is_invisible(c))
}

pub(super) fn is_dash(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{2010}'
            ..='\u{2015}' | '\u{2212}' | '\u{2e3a}' | '\u{2e3b}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// `'` or `"` for a quotation mark of any kind.
pub(super) fn quotation_mark(c: char) -> Option<char> {
    match c {
        '\''
        | '`'
        | '\u{b4}'
        | '\u{2bc}'
        | '\u{2018}'..='\u{201b}'
        | '\u{2032}'
        | '\u{2035}'
        | '\u{2039}'
        | '\u{203a}'
        | '\u{300c}'
        | '\u{300d}'
        | '\u{ff07}'
        | '\u{ff40}'
        | '\u{ff62}'
        | '\u{ff63}' => Some('\''),
        '"'
        | '\u{ab}'
        | '\u{bb}'
        | '\u{201c}'..='\u{201f}'
        | '\u{2033}'
        | '\u{2036}'
        | '\u{300e}'
        | '\u{300f}'
        | '\u{301d}'..='\u{301f}'
        | '\u{ff02}' => Some('"'),
        _ => None,
    }
}

/// Returns whether `c` is a letter, a digit or a picture, not just whitespace or punctuation.
pub(super) fn says_something(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_as_one_character_is_not_cut() {
        for text in ["e\u{301}", "👩\u{200d}👩", "👍🏽", "\u{1112}\u{1161}", "한\u{11ab}", "कि", "❤\u{fe0f}"]
        {
            let second = text.chars().next().unwrap().len_utf8();
            assert!(is_inside_character(text, second), "{text}");
            assert!(!is_inside_character(text, 0) && !is_inside_character(text, text.len()));
        }
        for text in ["ab", "日本", "é.", "한국", "שלום", "😀😀"] {
            let second = text.chars().next().unwrap().len_utf8();
            assert!(!is_inside_character(text, second), "{text}");
        }
    }

    #[test]
    fn a_word_is_letters_or_digits_and_east_asia_has_no_spaces() {
        for (text, at, expected) in
            [("party", 1, true), ("5mg", 1, false), ("15", 1, true), ("a b", 1, false), ("日本", 3, false)]
        {
            assert_eq!(is_inside_word(text, at), expected, "{text}");
        }
    }
}
