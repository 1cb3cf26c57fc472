//! A quote in numbers, words and marks, and the words with a meaning among them.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

use crate::document::{
    characters::is_unspaced,
    normalisation::FoldedText,
    value::numerals::{self, WrittenNumber, digit, superscript},
};

/// A part of a quote. White space is left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum QuoteToken {
    /// A number in digits or in one special character, by its possible values without sign.
    Number(Vec<f64>),
    /// A run of letters, normalised, in lower case. Ends where a script with spaces between words
    /// meets one without.
    Word(String),
    /// Any other character.
    Mark(char),
    /// A numeric character whose value is not known.
    Unknown,
}

impl QuoteToken {
    /// Returns the values of a number; empty for any other token.
    pub(crate) fn values(&self) -> &[f64] {
        if let Self::Number(values) = self { values } else { &[] }
    }

    pub(crate) fn word(&self) -> Option<&str> {
        if let Self::Word(word) = self { Some(word) } else { None }
    }

    pub(crate) fn is_mark(&self, mark: char) -> bool {
        *self == Self::Mark(mark)
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }
}

/// The tokens of `quote`, which has these `numerals`.
pub(crate) fn tokens(quote: &str, numerals: &[WrittenNumber]) -> Vec<QuoteToken> {
    let mut tokens = Vec::new();
    let mut at = 0;
    for numeral in numerals {
        push_text(&quote[at..numeral.range.start], &mut tokens);
        tokens.push(QuoteToken::Number(numeral.readings.iter().map(|one| one.rounded().abs()).collect()));
        at = numeral.range.end;
    }
    push_text(&quote[at..], &mut tokens);
    tokens
}

/// Returns whether `c` is a number of its own: a fraction, a superscript, a Roman numeral.
fn is_special(c: char) -> bool {
    c.is_numeric() && digit(c).is_none() && c != '〇'
}

/// Adds the tokens of a text without digits.
fn push_text(text: &str, tokens: &mut Vec<QuoteToken>) {
    let mut rest = text;
    while let Some(at) = rest.find(is_special) {
        push_words(&rest[..at], tokens);
        let c = rest[at..].chars().next().unwrap_or_default();
        let is_attached = at == 0;
        push_special(c, is_attached, tokens);
        rest = &rest[at + c.len_utf8()..];
    }
    push_words(rest, tokens);
}

/// Adds the number that `c` is. After a number without a space, a fraction is added to it (`2½`),
/// and a superscript is its exponent (`10²`), or marks a footnote.
fn push_special(c: char, is_attached: bool, tokens: &mut Vec<QuoteToken>) {
    let Some(value) = special(c) else { return tokens.push(QuoteToken::Unknown) };
    let mut values = vec![value];
    if let Some(QuoteToken::Number(before)) = tokens.last().filter(|_| is_attached) {
        if value < 1.0 {
            values.extend(before.iter().map(|number| number + value));
        } else if superscript(c).is_some() {
            values.extend(before.iter().map(|number| number.powf(value)));
        }
    }
    tokens.push(QuoteToken::Number(values));
}

/// The value of a special character: `½`, `²`, `⑤`, `Ⅷ`.
fn special(c: char) -> Option<f64> {
    let plain: String = std::iter::once(c).nfkc().collect();
    let plain = plain.trim_matches(['(', ')', '.']);
    if let Some((over, under)) = plain.split_once('\u{2044}') {
        let (over, under): (f64, f64) = (over.parse().ok()?, under.parse().ok()?);
        return (under > 0.0).then_some(over / under);
    }
    plain.parse().ok().or_else(|| numerals::worth(&plain.to_lowercase()))
}

/// Adds the words and marks of a text without numbers.
fn push_words(text: &str, tokens: &mut Vec<QuoteToken>) {
    let folded = FoldedText::new(text);
    let mut hyphens = folded.hyphens().lasting().peekable();
    let mut word = String::new();
    let end = |word: &mut String, tokens: &mut Vec<QuoteToken>| {
        if !word.is_empty() {
            tokens.push(QuoteToken::Word(std::mem::take(word)));
        }
    };
    for (at, c) in folded.text().char_indices() {
        if hyphens.next_if(|hyphen| *hyphen <= at).is_some() {
            end(&mut word, tokens);
            tokens.push(QuoteToken::Mark('-'));
        }
        let is_letter = c.is_alphabetic() || c == '〇' || (!c.is_ascii() && is_mark_of_letter(c));
        if !is_letter {
            end(&mut word, tokens);
            if !c.is_whitespace() {
                tokens.push(QuoteToken::Mark(c));
            }
            continue;
        }
        if word.chars().next_back().is_some_and(|before| is_unspaced(before) != is_unspaced(c)) {
            end(&mut word, tokens);
        }
        word.push(c);
    }
    end(&mut word, tokens);
}

fn is_mark_of_letter(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c) || c == '\u{200d}' || c == '\u{200c}'
}

/// Words and signs with a meaning each.
pub(super) struct WordLexicon<M> {
    whole: HashMap<String, M>,
    /// Beginnings of words, by their first characters.
    beginnings: HashMap<char, Vec<(String, M)>>,
}

impl<M: Copy> WordLexicon<M> {
    /// The lexicon of these forms, which are separated by spaces. A form that ends with `*` is the
    /// beginning of a word, as is any form of letters without case: such scripts write their words
    /// without spaces, or with endings. Of several meanings of a form, the first counts.
    pub(super) fn new(entries: impl IntoIterator<Item = (&'static str, M)>) -> Self {
        let mut lexicon = Self { whole: HashMap::new(), beginnings: HashMap::new() };
        for (forms, meaning) in entries {
            for form in forms.split_whitespace() {
                lexicon.add(form, meaning);
            }
        }
        for beginnings in lexicon.beginnings.values_mut() {
            beginnings.sort_by_key(|(form, _)| std::cmp::Reverse(form.len()));
        }
        lexicon
    }

    fn add(&mut self, form: &str, meaning: M) {
        let folded = FoldedText::new(form.trim_end_matches('*'));
        let plain = folded.text();
        let has_case = |c: char| c.is_lowercase();
        let is_beginning =
            form.ends_with('*') || (plain.contains(char::is_alphabetic) && !plain.contains(has_case));
        match plain.chars().next().filter(|_| is_beginning) {
            Some(first) => self.beginnings.entry(first).or_default().push((plain.to_owned(), meaning)),
            None => {
                self.whole.entry(plain.to_owned()).or_insert(meaning);
            }
        }
    }

    /// The meaning of a word or mark.
    pub(super) fn get(&self, token: Option<&QuoteToken>) -> Option<M> {
        match token? {
            QuoteToken::Word(word) => self.of_word(word),
            QuoteToken::Mark(mark) => self.whole.get(mark.encode_utf8(&mut [0; 4]) as &str).copied(),
            QuoteToken::Number(_) | QuoteToken::Unknown => None,
        }
    }

    pub(super) fn has(&self, token: &QuoteToken) -> bool {
        self.get(Some(token)).is_some()
    }

    /// Returns the meaning of `word`: of the whole, otherwise of its longest known beginning.
    fn of_word(&self, word: &str) -> Option<M> {
        self.whole.get(word).copied().or_else(|| {
            let beginnings = self.beginnings.get(&word.chars().next()?)?;
            beginnings.iter().find(|(form, _)| word.starts_with(form.as_str())).map(|(_, meaning)| *meaning)
        })
    }
}
