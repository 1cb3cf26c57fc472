//! Words with a meaning, looked up in tokens.

use std::collections::HashMap;

use crate::document::{fold::FoldedText, value::tokens::QuoteToken};

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
    pub(super) fn of_word(&self, word: &str) -> Option<M> {
        self.whole.get(word).copied().or_else(|| {
            let beginnings = self.beginnings.get(&word.chars().next()?)?;
            beginnings.iter().find(|(form, _)| word.starts_with(form.as_str())).map(|(_, meaning)| *meaning)
        })
    }
}
