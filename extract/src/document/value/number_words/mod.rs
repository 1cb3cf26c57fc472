//! Number words of twelve languages.

mod languages;
mod parse;
mod sums;

use self::{
    languages::{LANGUAGES, NumberAtom, NumberLanguage},
    parse::{ParsedWord, parse},
    sums::{decimals, spelled, sum},
};
use crate::document::value::tokens::QuoteToken;

/// The numbers that the number words of a quote express.
#[derive(Debug, Default)]
pub(super) struct NumberWords {
    /// The numbers that they may be, without sign.
    pub(super) values: Vec<f64>,
    /// Whether a word may be a number that is not known.
    pub(super) is_uncertain: bool,
    /// Whether the language shows in the number words themselves.
    pub(super) shows_language: bool,
}

/// Maximum number words that are one number.
const MOST_ATOMS: usize = 16;

/// Maximum words of a quote that are examined for numbers inside them.
const MOST_EXAMINED: usize = 2_000;

/// Words between a number and its decimals.
const POINTS: [&str; 8] = ["point", "komma", "virgule", "coma", "vírgula", "virgola", "comma", "przecinek"];

/// Number words of English that other languages have too, or that say no number.
const COMMONPLACE: &str = "once first second third zero hundred hundreds thousand thousands million \
    millions billion billions trillion trillions";

/// Pieces of ordinary words that are number words elsewhere: of `attend`, `event`, `stress`.
const PIECES: [&str; 9] = ["atten", "vent", "trent", "tres", "fire", "firs", "nove", "mila", "prima"];

/// The number words in `tokens`, in linear time. Looks for unknown ones only if it `looks_inside`
/// words.
pub(super) fn number_words(tokens: &[QuoteToken], looks_inside: bool) -> NumberWords {
    let mut found = NumberWords::default();
    let mut is_number = vec![false; tokens.len()];
    let mut begins = vec![false; tokens.len()];
    for (index, language) in LANGUAGES.iter().enumerate() {
        let parsed: Vec<Option<ParsedWord>> =
            tokens.iter().map(|token| token.word().and_then(|word| parse(language, word))).collect();
        for (is_number, parsed) in is_number.iter_mut().zip(&parsed) {
            *is_number |= parsed.as_ref().is_some_and(|parsed| parsed.is_whole);
        }
        for (begins, parsed) in begins.iter_mut().zip(&parsed) {
            *begins |= parsed.is_some();
        }
        found.shows_language |= shows_language(index == 0, language, tokens, &parsed);
        // A number in digits may have two readings.
        for reading in 0..2 {
            values(language, &runs(language, tokens, &parsed, reading), tokens, &mut found.values);
        }
    }
    // A word that is not a number as a whole may be one in part.
    let others = || (0..tokens.len()).filter(|at| !is_number[*at]);
    found.is_uncertain = looks_inside
        && (others().any(|at| begins[at])
            || others().count() > MOST_EXAMINED
            || !found.shows_language && others().filter_map(|at| tokens[at].word()).any(contains_number));
    found
}

/// Returns whether a number word of four letters or more is inside `word`.
fn contains_number(word: &str) -> bool {
    let words = LANGUAGES.iter().flat_map(|language| &language.words);
    words.into_iter().any(|(known, _)| {
        known.len() > 3 && word.contains(known.as_str()) && !PIECES.contains(&known.as_str())
    })
}

/// Returns whether the words are of `language` for certain: a number word of English that is not
/// another word, or nothing but number words.
fn shows_language(
    is_english: bool,
    language: &NumberLanguage,
    tokens: &[QuoteToken],
    parsed: &[Option<ParsedWord>],
) -> bool {
    let words = || tokens.iter().zip(parsed).filter_map(|(token, parsed)| Some((token.word()?, parsed)));
    let is_whole = |parsed: &Option<ParsedWord>| parsed.as_ref().is_some_and(|parsed| parsed.is_whole);
    let is_joiner = |word: &str| language.joiners.iter().any(|joiner| joiner == word);
    let is_all = words().all(|(word, parsed)| is_whole(parsed) || is_joiner(word));
    let is_telling = |word: &str| {
        let is_common = COMMONPLACE.split(' ').any(|common| common == word);
        let letters = word.chars().count();
        if is_all { letters > 2 } else { is_english && letters > 3 && !is_common }
    };
    words().any(|(word, parsed)| is_whole(parsed) && is_telling(word))
}

/// Number words and numbers in sequence.
#[derive(Debug)]
struct WordRun {
    /// The index of its first token, and of the one after its last.
    start: usize,
    end: usize,
    atoms: Vec<NumberAtom>,
    has_words: bool,
}

/// The runs of number words in `tokens`. Of a number in digits, its `reading` counts.
fn runs(
    language: &NumberLanguage,
    tokens: &[QuoteToken],
    parsed: &[Option<ParsedWord>],
    reading: usize,
) -> Vec<WordRun> {
    let mut runs: Vec<WordRun> = Vec::new();
    let mut is_open = false;
    for (at, (token, parsed)) in tokens.iter().zip(parsed).enumerate() {
        let number = token.values().get(reading).or(token.values().last());
        let atoms = match (parsed, number) {
            (Some(parsed), _) => parsed.atoms.clone(),
            (None, Some(number)) => vec![NumberAtom::number(*number)],
            (None, None) => {
                let is_joiner = |word: &str| language.joiners.iter().any(|joiner| joiner == word);
                is_open &= token.is_mark('-') || token.word().is_some_and(is_joiner);
                continue;
            }
        };
        let has_words = parsed.is_some();
        match runs.last_mut().filter(|_| is_open) {
            Some(run) => {
                run.atoms.extend(atoms);
                (run.end, run.has_words) = (at + 1, run.has_words || has_words);
            }
            None => runs.push(WordRun { start: at, end: at + 1, atoms, has_words }),
        }
        // The text after a word that only begins with a number is not the rest of the number.
        is_open = parsed.as_ref().is_none_or(|parsed| parsed.is_whole);
    }
    runs
}

/// Adds the numbers that `runs` may be, and each of their parts.
fn values(language: &NumberLanguage, runs: &[WordRun], tokens: &[QuoteToken], values: &mut Vec<f64>) {
    let order = language.order;
    for run in runs.iter().filter(|run| run.has_words) {
        for start in 0..run.atoms.len() {
            let ends = start + 1..=run.atoms.len().min(start + MOST_ATOMS);
            values.extend(ends.map_while(|end| sum(&run.atoms[start..end], order)));
            for end in start + 2..=run.atoms.len().min(start + 4) {
                values.extend(spelled(&run.atoms[start..end], order));
            }
        }
        values.extend(spelled(&run.atoms, order));
    }
    for two in runs.windows(2).filter(|two| two[1].start == two[0].end + 1) {
        if tokens[two[0].end].word().is_some_and(|word| POINTS.contains(&word)) {
            let (whole, fraction) = (&two[0].atoms, &two[1].atoms);
            let whole = &whole[whole.len().saturating_sub(MOST_ATOMS)..];
            let wholes = (0..whole.len()).filter_map(|start| sum(&whole[start..], order));
            let ends = || 1..=fraction.len().min(MOST_ATOMS);
            let fractions = || ends().filter_map(|end| decimals(&fraction[..end], order));
            values.extend(wholes.flat_map(|whole| fractions().map(move |fraction| whole + fraction)));
        }
    }
}

/// Words that are frequent in these languages and rare in others.
const COMMON: &[&str] = &[
    "the", "and", "of", "was", "were", "with", "this", "that", "from", // English
    "und", "das", "ist", "nicht", "wurde", "eine", "für", // German
    "les", "avec", "pour", "dans", "une", // French
    "los", "las", "del", "não", "uma", "dos", "della", "sono", "gli", // Spanish, Portuguese, Italian
    "het", "een", "voor", "niet", "och", "inte", "ikke", // Dutch, Swedish, Danish, Norwegian
    "jest", "się", "nie", "oraz", "przez", "který", "není", // Polish, Czech
];

/// Words of a text that are examined to detect its language, and one in how many must be a common
/// word. In the sentences of a book one in eight is, in a list of medications one in thirty.
const LOOKED_AT: usize = 2_000;
const ONE_IN: usize = 100;

/// Returns whether the number words of the language of `text` are known.
pub(crate) fn knows_number_words(text: &str) -> bool {
    let (mut all, mut common) = (0, 0);
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    for word in words.take(LOOKED_AT) {
        all += 1;
        let is_common = COMMON.iter().any(|known| known.eq_ignore_ascii_case(word));
        common += usize::from(is_common);
    }
    common * ONE_IN >= all && common > 0
}
