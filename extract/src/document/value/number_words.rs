//! Number words of twelve languages.

use super::number_languages::{LANGUAGES, NumberAtom, NumberLanguage, NumberOrder};
use crate::document::value::tokens::QuoteToken;

/// The numbers that the number words of a quote express.
#[derive(Debug, Default)]
pub(super) struct NumberWords {
    /// Whether each token is a number word as a whole.
    pub(super) is_number: Vec<bool>,
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

/// Number words that other languages have too, or that are also other words.
const COMMONPLACE: &str = "once first second third zero hundred hundreds thousand thousands million \
    millions billion billions trillion trillions premier premiere primera primero primeira primeiro segundo segunda secondo \
    seconda tercer quarto quarta quinto quinta sexto settimo milliard miliard eerste eerst";

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
    found.is_uncertain = looks_inside && (others().any(|at| begins[at]) || others().count() > MOST_EXAMINED);
    found.is_number = is_number;
    found
}

/// Letters of the number words of a quote that show their language: `quinientos`, `zwei Komma fünf`.
const TELLING_LETTERS: usize = 6;

/// Returns whether the words are of `language` for certain: a number word of English that is not
/// another word, number words with enough letters, or nothing but number words.
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
    let numbers = || words().filter(|(_, parsed)| is_whole(parsed)).map(|(word, _)| word);
    let letters = |word: &str| word.chars().count();
    if is_all {
        return numbers().any(|word| letters(word) > 2);
    }
    let is_common = |word: &str| COMMONPLACE.split(' ').any(|common| common == word);
    // `vyf en twintig` has a number that is not known, of another language.
    let all: Vec<_> = words().collect();
    let continues = |three: &[(&str, &Option<ParsedWord>)]| {
        is_joiner(three[1].0) && is_whole(three[0].1) != is_whole(three[2].1)
    };
    if !is_english && all.windows(3).any(continues) {
        return false;
    }
    let mut telling = numbers().filter(|word| letters(word) > 3 && !is_common(word)).peekable();
    is_english && telling.peek().is_some() || telling.map(letters).sum::<usize>() >= TELLING_LETTERS
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

/// Adds the numbers that `runs` may be. Of what is not one number, each part may be one. A value may be counted in
/// thousands or millions: 2 is in `two million`.
fn values(language: &NumberLanguage, runs: &[WordRun], tokens: &[QuoteToken], values: &mut Vec<f64>) {
    let order = language.order;
    for run in runs.iter().filter(|run| run.has_words) {
        let atoms = &run.atoms;
        // `ein zwanzig` may be a number and an article, and so may `thirty one-dollar` and `2020 five`.
        let is_one = order == NumberOrder::TensFirst || run.end - run.start == 1;
        let has_digits = tokens[run.start..run.end].iter().any(QuoteToken::is_number);
        let is_joined = tokens.get(run.end).is_some_and(|next| next.is_mark('-'));
        let whole = if is_one && !has_digits && !is_joined && atoms.len() <= MOST_ATOMS {
            sum(atoms, order).or_else(|| eighty(atoms, order))
        } else {
            None
        };
        if let Some(whole) = whole {
            let scales = (1..atoms.len()).filter(|at| atoms[*at].is_multiplier && atoms[*at].value >= 1e3);
            values.extend(scales.filter_map(|at| sum(&atoms[..at], order)).chain([whole]));
            continue;
        }
        for start in 0..atoms.len() {
            let ends = start + 1..=atoms.len().min(start + MOST_ATOMS);
            values.extend(ends.map_while(|end| sum(&atoms[start..end], order)));
            for end in start + 2..=atoms.len().min(start + 4) {
                values.extend(spelled(&atoms[start..end], order));
            }
        }
        values.extend(spelled(atoms, order));
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

/// Maximum bytes of a number word. Longer words are not one.
const LONGEST: usize = 120;

/// Minimum characters of a number at the beginning of a longer word: `dreimal`, `septembre`.
const LEAST_BEGINNING: usize = 4;

/// A word that is a number, or begins with one.
#[derive(Debug, PartialEq)]
struct ParsedWord {
    atoms: Vec<NumberAtom>,
    /// Whether nothing follows the number but an ending that leaves it as it is.
    is_whole: bool,
}

/// The numbers of which `word` consists or with which it begins.
fn parse(language: &NumberLanguage, word: &str) -> Option<ParsedWord> {
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

/// The number that `atoms` say in this order; `None` if they are not one number: `two three`.
fn sum(atoms: &[NumberAtom], order: NumberOrder) -> Option<f64> {
    let mut parts: Vec<f64> = Vec::new();
    for atom in atoms {
        if atom.is_multiplier {
            // Everything smaller is multiplied: the `two hundred` of `a million two hundred thousand`.
            let at = parts.iter().position(|part| *part < atom.value).unwrap_or(parts.len());
            let smaller: f64 = parts.split_off(at).iter().sum();
            parts.push(if smaller > 0.0 { smaller * atom.value } else { atom.value });
        } else if parts.last().is_none_or(|last| follows(*last, atom.value, order)) {
            parts.push(atom.value);
        } else {
            return None;
        }
    }
    Some(parts.iter().sum())
}

/// Returns whether `next` can be added to `last`: a unit after tens, tens after hundreds.
/// `soixante-quinze` is 60 and 15.
fn follows(last: f64, next: f64, order: NumberOrder) -> bool {
    let is_unit = |number: f64| (1.0..10.0).contains(&number);
    let is_tens = |number: f64| (20.0..100.0).contains(&number) && number % 10.0 == 0.0;
    if order == NumberOrder::UnitsFirst && is_unit(last) && is_tens(next) {
        return true;
    }
    let is_sixty_or_eighty = is_tens(last) && last >= 60.0 && last % 20.0 == 0.0;
    if is_sixty_or_eighty && (10.0..20.0).contains(&next) {
        return true;
    }
    let room = [10.0, 100.0, 1_000.0].into_iter().find(|room| next < *room);
    next > 0.0 && room.is_some_and(|room| last >= room && last % room == 0.0)
}

/// The other numbers that `atoms` may be: `nineteen ninety-nine` is a year, `five five one` is
/// three digits.
fn spelled(atoms: &[NumberAtom], order: NumberOrder) -> Vec<f64> {
    /// A double holds that many digits exactly.
    const MOST_DIGITS: usize = 15;
    let mut numbers = Vec::new();
    let is_digit = |atom: &NumberAtom| atom.value < 10.0 && atom.value % 1.0 == 0.0;
    if (2..=MOST_DIGITS).contains(&atoms.len()) && atoms.iter().all(is_digit) {
        numbers.push(atoms.iter().fold(0.0, |number, atom| number * 10.0 + atom.value));
    }
    numbers.extend(eighty(atoms, order));
    for at in 1..atoms.len().min(3) {
        let (century, year) = atoms.split_at(at);
        let year = if year.len() > 2 { None } else { sum(year, order) };
        if let (Some(century), Some(year)) = (sum(century, order), year)
            && (10.0..100.0).contains(&century)
            && (10.0..100.0).contains(&year)
        {
            numbers.push(century * 100.0 + year);
        }
    }
    numbers
}

/// The number that `atoms` say if they start with `quatre vingts`.
fn eighty(atoms: &[NumberAtom], order: NumberOrder) -> Option<f64> {
    let rest = atoms.strip_prefix(&[NumberAtom::number(4.0), NumberAtom::number(20.0)])?;
    let eighty: Vec<NumberAtom> =
        std::iter::once(NumberAtom::number(80.0)).chain(rest.iter().copied()).collect();
    sum(&eighty, order)
}

/// The fraction whose decimals are `atoms`: of `two point one five`, the `one five`.
fn decimals(atoms: &[NumberAtom], order: NumberOrder) -> Option<f64> {
    let is_digit = |atom: &NumberAtom| atom.value < 10.0;
    let digits: String = if atoms.iter().all(is_digit) {
        atoms.iter().map(|atom| atom.value.to_string()).collect()
    } else {
        sum(atoms, order)?.to_string()
    };
    format!("0.{digits}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{super::number_languages::LANGUAGES, parse, *};

    #[test]
    fn number_words_are_added_and_multiplied() {
        for (language, words, expected) in [
            (0, "twenty five", 25.0),
            (0, "one hundred twentythree thousand four hundred", 123_400.0),
            (0, "twentyfive hundred", 2_500.0),
            (0, "two million three hundred thousand", 2_300_000.0),
            (0, "five lakh thirty thousand", 530_000.0),
            (1, "fünfundzwanzig", 25.0),
            (1, "zweitausenddreihunderteinundzwanzig", 2_321.0),
            (1, "dreissigste", 30.0),
            (2, "soixantequinze", 75.0),
            (2, "quatrevingtdixsept", 97.0),
            (2, "deux cent cinquante mille", 250_000.0),
            (3, "doscientos cincuenta", 250.0),
            (3, "treinta dos", 32.0),
            (4, "duzentos vinte cinco", 225.0),
            (5, "duecentocinquantotto", 258.0),
            (5, "ventitremila", 23_000.0),
            (6, "vijfentwintig", 25.0),
            (6, "tweeëntwintig", 22.0),
            (7, "tvåhundrafemtio", 250.0),
            (8, "femoghalvtreds", 55.0),
            (9, "toogtjue", 22.0),
            (10, "dwieście pięćdziesiąt", 250.0),
            (11, "pětadvacet", 25.0),
        ] {
            let language = &LANGUAGES[language];
            let atoms: Vec<NumberAtom> =
                words.split(' ').flat_map(|word| parse(language, word).expect(word).atoms).collect();
            assert_eq!(sum(&atoms, language.order), Some(expected), "{words}");
        }
    }

    #[test]
    fn a_list_is_not_a_number() {
        let atoms =
            |values: &[f64]| values.iter().map(|value| NumberAtom::number(*value)).collect::<Vec<_>>();
        for list in [&[2.0, 3.0][..], &[25.0, 6.0], &[20.0, 30.0], &[5.0, 20.0]] {
            assert_eq!(sum(&atoms(list), NumberOrder::TensFirst), None, "{list:?}");
        }
        assert_eq!(spelled(&atoms(&[19.0, 90.0, 9.0]), NumberOrder::TensFirst), [1999.0]);
        assert_eq!(spelled(&atoms(&[5.0, 5.0, 1.0]), NumberOrder::TensFirst), [551.0]);
        assert_eq!(decimals(&atoms(&[2.0, 5.0]), NumberOrder::TensFirst), Some(0.25));
    }
}
