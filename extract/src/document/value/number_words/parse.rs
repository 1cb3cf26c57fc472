//! A word in number words: `fünfundzwanzig` is five and twenty.

use super::languages::{NumberAtom, NumberLanguage};

/// Maximum bytes of a number word. Longer words are not one.
const LONGEST: usize = 120;

/// Minimum characters of a number at the beginning of a longer word: `dreimal`, `septembre`.
const LEAST_BEGINNING: usize = 4;

/// A word that is a number, or begins with one.
#[derive(Debug, PartialEq)]
pub(super) struct ParsedWord {
    pub(super) atoms: Vec<NumberAtom>,
    /// Whether nothing follows the number but an ending that leaves it as it is.
    pub(super) is_whole: bool,
}

/// The numbers of which `word` consists or with which it begins.
pub(super) fn parse(language: &NumberLanguage, word: &str) -> Option<ParsedWord> {
    if word.len() > LONGEST {
        return None;
    }
    let mut segments = WordSegments { language, failed: 0, atoms: Vec::new(), longest: (0, Vec::new()) };
    if segments.fills(word, 0) {
        return Some(ParsedWord { atoms: segments.atoms, is_whole: true });
    }
    let (end, atoms) = segments.longest;
    (word[..end].chars().count() >= LEAST_BEGINNING).then_some(ParsedWord { atoms, is_whole: false })
}

struct WordSegments<'l> {
    language: &'l NumberLanguage,
    /// The positions from which the rest of the word is not a number, as bits: without them the
    /// time would be exponential.
    failed: u128,
    atoms: Vec<NumberAtom>,
    /// The end of the longest beginning that is a number, and its parts.
    longest: (usize, Vec<NumberAtom>),
}

impl WordSegments<'_> {
    /// Returns whether `word` from `at` on consists of number words; they are in `atoms` then.
    fn fills(&mut self, word: &str, at: usize) -> bool {
        let rest = &word[at..];
        if !self.atoms.is_empty() && (rest.is_empty() || self.language.endings.iter().any(|one| one == rest))
        {
            return true;
        }
        if self.failed & (1 << at) != 0 {
            return false;
        }
        for (known, atom) in &self.language.words {
            if !rest.starts_with(known.as_str()) {
                continue;
            }
            let end = at + known.len();
            self.atoms.push(*atom);
            if end > self.longest.0 {
                self.longest = (end, self.atoms.clone());
            }
            let joined =
                |joiner: &String| word[end..].starts_with(joiner.as_str()).then_some(end + joiner.len());
            let nexts: Vec<usize> = self.language.joiners.iter().filter_map(joined).collect();
            if self.fills(word, end)
                || nexts.into_iter().any(|next| next < word.len() && self.fills(word, next))
            {
                return true;
            }
            self.atoms.pop();
        }
        self.failed |= 1 << at;
        false
    }
}
