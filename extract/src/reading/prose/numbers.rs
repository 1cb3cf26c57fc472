//! Numbers in prose: what it counts, `16 years of experience`, and which ones it offers beside another,
//! `3, or maybe 4` and `it could also be 5`.

use crate::reading::spelling;

use super::{
    NOTHING, Words, ends_sentence, first_bytes, last_bytes,
    stated::{MAX_NAME, last_name},
    words,
};

/// Words before a number that make it another one than what is counted in all: `the first 2 lines`,
/// `more than 10 years`.
static QUALIFYING: Words = Words::of(
    "about additional after almost another approximately around before between bottom by chapter every except
     fewer figure first for following former in last latter least less line maximum minimum more most next note
     number other over page part past per previous remaining roughly row section step table than the these those
     to top under until up version within",
);

/// Parts of what the reply itself says or does: `in 2 sentences`.
static PLAIN: Words = Words::of("sentences steps times words");

/// Years: what follows one is of that year, and not counted by it.
pub(crate) const YEARS: std::ops::RangeInclusive<u32> = 1900..=2100;

/// Words before the number of all elements that a list has.
static FINDING: Words = Words::of(
    "created detected encontré encontrei extracted extrahiert found generated gefunden identified listed total trouvé
     trovato",
);

/// Returns whether `before`, the text before a number, ends with a word for what was found.
pub(crate) fn says_found(before: &str) -> bool {
    FINDING.have(last_name(before.trim_end_matches([' ', '*', '(', '`', '"', ':']), &[]))
}

/// The numbers that are often written in words, from one.
pub(crate) const SMALL: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Words for at least so many: one, two.
static SOME: [&[&str]; 2] = [&["a", "an", "some"], &["multiple", "several"]];

/// The nouns that `text` counts beside a word for what was found, each with its number: `I found two facts`, `One
/// issue was found`, `1 issue found`, `There is a bug`.
pub(crate) fn found_in_words(text: &str) -> impl Iterator<Item = (&str, usize)> {
    text.split(ends_sentence).filter(|sentence| !NOTHING.any_in(sentence)).flat_map(|sentence| {
        let said: Vec<&str> =
            sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let is = |at: usize, known: &[&str]| {
            said.get(at).is_some_and(|word| known.iter().any(|known| word.eq_ignore_ascii_case(known)))
        };
        let is_found = |at: usize| said.get(at).is_some_and(|word| FINDING.have(word));
        let counted = |at: usize| {
            let number = number_of(said[at])?;
            let follows = at.checked_sub(1).is_some_and(is_found)
                || at == 2 && is(0, &["here", "there"]) && is(1, &["is", "are"])
                || at == 3 && is(0, &["here"]) && is(1, &["are"]) && is(2, &["the"])
                || at == 2 && is(0, &["below"]) && is(1, &["are"]);
            let is_label = || said.len() == 2 && sentence.trim_end().ends_with(':');
            let leads = at == 0 && (is_found(2) || is(2, &["was", "were"]) && is_found(3) || is_label());
            // Of `quiz questions`, the last word is what is counted.
            let noun =
                said.get(at + 2).filter(|word| word.len() > 3 && word.ends_with('s')).or(said.get(at + 1))?;
            Some((*noun, number)).filter(|_| follows || leads)
        };
        (0..said.len()).filter_map(counted).collect::<Vec<_>>()
    })
}

/// The number that `word` is, or the least that it may be.
fn number_of(word: &str) -> Option<usize> {
    let is = |known: &&str| word.eq_ignore_ascii_case(known);
    let at_least = || Some(SOME.iter().position(|words| words.iter().any(is))? + 1);
    let in_words = SMALL.iter().position(is).map(|at| at + 1);
    in_words.or_else(at_least).or_else(|| word.parse().ok().filter(|number| *number < MOST_FOUND))
}

/// The number from which one is taken for a year or a name.
const MOST_FOUND: usize = 1_000;

/// The nouns in the plural that `text` puts right after an integer, each with the text from that integer
/// on.
pub(crate) fn counted(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.match_indices(' ').filter_map(|(space, _)| {
        let (before, after) = (&text[..space], &text[space + 1..]);
        let digits =
            before.len() - before.bytes().rev().take_while(u8::is_ascii_digit).take(MAX_NAME).count();
        let (around, number) = before.split_at(digits);
        // Before all that looks back, which would take long at every space.
        if number.is_empty() {
            return None;
        }
        let end = after.find(|c: char| !c.is_ascii_alphabetic() && c != '_').unwrap_or(after.len());
        let name = &after[..end.min(MAX_NAME)];
        let is_plural = name.len() > 3 && name.ends_with('s') && !name.ends_with("ss") && !PLAIN.have(name);
        let is_year = || number.parse().is_ok_and(|year| YEARS.contains(&year));
        let lead = around.trim_end_matches([' ', '*', '(', '`', '"']);
        let is_whole = around.is_empty() || around.ends_with([' ', '*', '(', '`', '\n']);
        // `2 out of 5 stars`
        let is_qualified = || QUALIFYING.have(last_name(lead, &[])) || lead.ends_with(" out of");
        (is_plural && is_whole && !is_year() && !is_qualified()).then(|| (name, &text[digits..]))
    })
}

/// Names of units, by what they measure: time, length and mass. A word may have an `s` more.
const UNITS: [&[&str]; 3] = [
    &["second sec", "minute min", "hour", "day", "week", "month", "year"],
    &[
        "mm millimeter millimetre",
        "cm centimeter centimetre",
        "meter metre",
        "km kilometer kilometre",
        "inch inche",
        "feet foot ft",
        "mile",
    ],
    &["mg milligram", "gram", "kg kilogram", "lb pound", "ounce oz", "tonne"],
];

/// Returns whether `word` is another unit than one in `key` that measures the same: `inches` for `height_cm`.
pub(crate) fn is_other_unit(word: &str, key: &str) -> bool {
    let place = |word: &str| {
        let word = word.to_lowercase();
        let bare = word.strip_suffix('s').unwrap_or(&word);
        let is_it = |names: &str| names.split(' ').any(|name| name == bare || name == word);
        let at = |units: &[&str]| units.iter().position(|names| is_it(names));
        UNITS.iter().enumerate().find_map(|(measure, units)| Some((measure, at(units)?)))
    };
    let Some((measure, unit)) = place(word) else { return false };
    let known = spelling::words_of_key(first_bytes(key, MAX_NAME));
    let mut known = known.iter().filter_map(|word| place(word)).filter(|known| known.0 == measure);
    known.next().is_some_and(|known| known.1 != unit)
}

/// Words between two numbers of which one is right.
static EITHER: Words = Words::of(
    "albo either forse kanske lub maybe o oder or ou perhaps possibly quizá quizás talvez vielleicht ya или może может または もしくは たぶん 多分 也许 可能 或 或者 或是 또는",
);

/// Verbs that say what a value may be.
static MAY: Words = Words::of("could könnte may might peut podría poderia potrebbe pourrait");

/// Words between one of these and its number.
static BETWEEN: Words = Words::of(
    "also anche auch aussi as be been da end essere even être have in instead it just likely rather ser sein również
     también também the was well być быть даже",
);

/// Bytes between the word and its number.
const NEAR: usize = 24;

/// Bytes before an "or" in which the other number is.
const BEFORE: usize = 80;

/// A number that a sentence offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OfferedNumber<'t> {
    pub(crate) number: &'t str,
    /// The words before the "or" between two numbers. Without an "or" there is only one.
    pub(crate) first: Option<&'t str>,
}

/// The numbers in `text` after an "or", a "maybe" or a "could be".
pub(crate) fn offered_numbers(text: &str) -> impl Iterator<Item = OfferedNumber<'_>> {
    let sentences = text.split(|c| ends_sentence(c) && c != '.').flat_map(|part| part.split(". "));
    sentences.flat_map(offered_in)
}

fn offered_in(sentence: &str) -> impl Iterator<Item = OfferedNumber<'_>> {
    let mut rest = sentence;
    std::iter::from_fn(move || {
        loop {
            let start = sentence.len() - rest.len() + rest.find(char::is_alphabetic)?;
            let (before, word) = sentence.split_at(start);
            let (word, behind) = word.split_at(word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len()));
            rest = behind;
            // `May 2` is a date.
            let may_offer = EITHER.have(word)
                || MAY.have(word) && !behind.trim_start().starts_with(|c: char| c.is_ascii_digit());
            // Some scripts have no spaces between words.
            let near = if word >= "\u{2e80}" { number_at } else { number_near };
            if let Some(number) = may_offer.then(|| near(behind)).flatten() {
                let has_first = EITHER.have(word) && before.contains(char::is_alphanumeric);
                return Some(OfferedNumber { number, first: has_first.then(|| last_bytes(before, BEFORE)) });
            }
        }
    })
}

/// The number at the start of `text`, after a few words that change nothing.
fn number_near(text: &str) -> Option<&str> {
    let near = first_bytes(text, NEAR);
    let (between, _) = near.split_at(near.find(|c: char| c.is_ascii_digit())?);
    let is_between = |word: &str| BETWEEN.have(word) || EITHER.have(word) || MAY.have(word);
    if !between.ends_with([' ', '(', '*', '`', '"']) || !words(between).all(is_between) {
        return None;
    }
    number_at(&text[between.len()..])
}

/// The number that `number` starts with.
fn number_at(number: &str) -> Option<&str> {
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let end = number.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(number.len());
    let (number, after) = number.split_at(end);
    // A share, a range, a date or a time is written otherwise than a number of a value.
    (!after.starts_with(['%', '-', '/', ':'])).then(|| number.trim_end_matches(['.', ',']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_before_a_plural_counts_it() {
        for (text, expected) in [
            ("16 years of experience", ("years", "16 years of experience")),
            ("I found **8 errors**.", ("errors", "8 errors**.")),
            ("\n3 Guests", ("Guests", "3 Guests")),
        ] {
            assert_eq!(counted(text).collect::<Vec<_>>(), [expected], "{text}");
        }
    }

    #[test]
    fn other_numbers_count_nothing() {
        for text in [
            "the 2024 sales",
            "the first 2 lines",
            "more than 10 years",
            "1-3 items",
            "v2 errors",
            "3 x years",
            "$3 items",
            "2.5 years",
            "in 2 days",
            "2 out of 5 stars",
            "8 bus",
            "8 class",
            " years",
            "8",
        ] {
            assert_eq!(counted(text).collect::<Vec<_>>(), [], "{text}");
        }
    }

    /// The first number that `text` offers, and whether it needs another one before it.
    fn offered(text: &str) -> Option<(&str, bool)> {
        offered_numbers(text).next().map(|offered| (offered.number, offered.first.is_some()))
    }

    #[test]
    fn what_was_found_is_counted_in_words_and_digits() {
        for (text, found) in [
            ("I found two facts.", ("facts", 2)),
            ("I found a bug in it", ("bug", 1)),
            ("We identified several issues.", ("issues", 2)),
            ("One issue was found:", ("issue", 1)),
            ("1 issue found.", ("issue", 1)),
            ("There is a problem.", ("problem", 1)),
            ("There are 3 people:", ("people", 3)),
            ("Here are 5 quiz questions:", ("questions", 5)),
        ] {
            assert_eq!(found_in_words(text).collect::<Vec<_>>(), [found], "{text}");
        }
        for text in [
            "I found no issues.",
            "There is nothing.",
            "Two of them are new.",
            "found in 2024 lines",
            "A bug",
        ] {
            assert_eq!(found_in_words(text).next(), None, "{text}");
        }
    }

    #[test]
    fn a_number_after_an_or_or_a_verb_of_doubt_is_offered() {
        assert_eq!(offered("The quantity is 3, or maybe 4."), Some(("4", true)));
        assert_eq!(offered("Or was it 18?"), Some(("18", false)));
        assert_eq!(offered("It could just as well be 1294.9; it is smudged."), Some(("1294.9", false)));
        assert_eq!(offered("La edad es 41 o 47."), Some(("47", true)));
        assert_eq!(offered("Сумма 310, а может быть, 370."), Some(("370", true)));
    }

    #[test]
    fn other_numbers_are_not() {
        for text in [
            "on May 2",
            "o investimento de R$ 45 milhões",
            "or C4 plants",
            "3 or more",
            "could take 3 days",
            "it may be 5%",
            "or",
        ] {
            assert_eq!(offered(text), None, "{text}");
        }
    }
}
