//! Phrases that say what a value is worth, in twenty-seven languages: the table `phrases.txt`, by meaning.
//!
//! The words of [`remarks`](super::remarks) are English, where a sentence can be read more closely. A
//! phrase in the table is one that hardly occurs beside a value that stands. In doubt it is not
//! in the table: a right value beside such a phrase costs an attempt.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// What a phrase says about the value beside it, or the one after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PhraseMeaning {
    /// It is wrong, or not to be used.
    Correction,
    /// Another value may be right.
    Doubt,
    /// It is not all there is.
    Part,
    /// The value after it is the last one.
    Final,
    /// It is made up.
    Sample,
    /// Its numbers are counted in another unit.
    Scale,
    /// The text does not have it, or it is estimated.
    Unfounded,
    /// It is right only if something else is so.
    Condition,
    /// The document was not there, or could not be read.
    Unread,
    /// It is no value: the agent does not answer.
    Refusal,
    /// There is no mistake in it. A sentence that says so takes nothing back.
    Confirmation,
}

impl PhraseMeaning {
    /// The meaning of the rows under `heading` in the table.
    fn of_heading(heading: &str) -> Option<Self> {
        Some(match heading {
            "[correction]" => Self::Correction,
            "[doubt]" => Self::Doubt,
            "[part]" => Self::Part,
            "[final]" => Self::Final,
            "[sample]" => Self::Sample,
            "[scale]" => Self::Scale,
            "[unfounded]" => Self::Unfounded,
            "[condition]" => Self::Condition,
            "[unread]" => Self::Unread,
            "[refusal]" => Self::Refusal,
            "[confirmation]" => Self::Confirmation,
            _ => return None,
        })
    }
}

/// The phrases of the table, each with its meaning.
fn phrases() -> impl Iterator<Item = (PhraseMeaning, &'static str)> {
    let mut meaning = PhraseMeaning::Correction;
    let rows = include_str!("phrases.txt").lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
    rows.flat_map(move |row| {
        let heading = PhraseMeaning::of_heading(row);
        meaning = heading.unwrap_or(meaning);
        let phrases = if heading.is_some() { "" } else { row };
        let of_row = meaning;
        phrases.split(" | ").filter(|phrase| !phrase.is_empty()).map(move |phrase| (of_row, phrase))
    })
}

/// Finds all phrases of the table at once, so that the time does not depend on how many there are.
struct PhraseFinder {
    meanings: Vec<PhraseMeaning>,
    finder: AhoCorasick,
}

static FINDER: LazyLock<PhraseFinder> = LazyLock::new(|| {
    let (meanings, phrases): (Vec<_>, Vec<_>) = phrases().unzip();
    PhraseFinder { meanings, finder: AhoCorasick::new(phrases).expect("the table is small") }
});

/// Returns whether `sentence` denies that there is a mistake.
pub(super) fn confirms(sentence: &str) -> bool {
    says(sentence, &[PhraseMeaning::Confirmation])
}

/// Returns whether `text` has a phrase of one of these meanings. The words of a phrase are not parts of
/// other words at its start.
pub(crate) fn says(text: &str, meanings: &[PhraseMeaning]) -> bool {
    let text = text.to_lowercase();
    let starts_word = |at: usize| {
        let before = text[..at].chars().next_back();
        let has_spaces = |c: char| c.is_alphabetic() && u32::from(c) < 0x0590;
        !before.is_some_and(has_spaces)
    };
    let mut found = FINDER.finder.find_overlapping_iter(&text);
    found.any(|phrase| meanings.contains(&FINDER.meanings[phrase.pattern()]) && starts_word(phrase.start()))
}

#[cfg(test)]
mod tests {
    use super::{
        PhraseMeaning::{Doubt, Part, Sample, Scale},
        *,
    };

    #[test]
    fn a_phrase_is_found_in_any_case_and_at_the_start_of_a_word() {
        assert!(says("(Valori in MIGLIAIA di euro)", &[Scale]));
        assert!(says("※単位は千円です。", &[Scale]));
        assert!(!says("Of all the kinds", &[Part]));
        assert!(!says("She errei", &[Doubt]), "of another meaning");
        assert!(!says("it was not reinvented", &[Sample]), "within a word");
    }

    #[test]
    fn phrases_are_in_lower_case() {
        for (_, phrase) in phrases() {
            assert_eq!(phrase, phrase.to_lowercase());
            assert!(!phrase.starts_with('[') && phrase.trim() == phrase, "{phrase}");
        }
    }
}
