//! Decides whether words that differ only in case, or in marks that one of them lacks, are the
//! same.
//!
//! The case of units matters. Their prefixes and symbols are from the SI Brochure (9th edition,
//! sections 2.3 and 3) and IEC 80000-13. Only pairs in actual use are listed; other symbols of mixed
//! case are short, and the case of each of their letters counts anyway.

use std::ops::Range;

use super::joints::Kept;

/// Length from which a word in mixed case is not a symbol. In a shorter one (`mW`, `pH`, `AaBb`)
/// the case of each letter counts.
const LONG: usize = 5;

/// Letters of the longest word in which every mark counts: units and other symbols are no longer.
const SYMBOL: usize = 2;

/// Words of two letters whose capitals do not matter. In any other pair of letters they do, because
/// the two are different codes, symbols or formulas: `Co` and `CO`.
const SHORT_WORDS: [&str; 10] = ["at", "by", "in", "no", "of", "ok", "on", "or", "to", "up"];

/// How a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Lower,
    Upper,
    Capitalised,
    Mixed,
}

/// Returns whether `given` and `name`, which are equal without case and joints, differ only in
/// style. `names` are all names, including `name`.
pub(super) fn is_style<'n, N>(given: &[Kept], name: &[Kept], names: &N) -> bool
where
    N: Iterator<Item = &'n str> + Clone,
{
    if given.len() != name.len() {
        return false;
    }
    if !may_lack_marks(given, name, words(given, name)) {
        return false;
    }
    words(given, name).all(|word| {
        let (left, right) = (letters(&given[word.clone()]), letters(&name[word.clone()]));
        left == right
            || match left[..] {
                [letter] => name[word.start].marked.is_none() && is_label(letter, name, word.start, names),
                _ => is_word_style(&left, &right),
            }
    })
}

/// Returns whether two names that are equal without marks may be the same word. All differing marks
/// must be missing on the same side, and none in a symbol. `words` has the spans of the words in
/// both.
fn may_lack_marks(given: &[Kept], name: &[Kept], words: impl Iterator<Item = Range<usize>>) -> bool {
    let (mut given_lacks, mut name_lacks) = (false, false);
    for word in words {
        for at in word.clone().filter(|at| given[*at].marked != name[*at].marked) {
            match (given[at].marked, name[at].marked) {
                _ if word.len() <= SYMBOL => return false,
                (None, _) => given_lacks = true,
                (_, None) => name_lacks = true,
                _ => return false,
            }
        }
    }
    !(given_lacks && name_lacks)
}

/// Returns the spans of the words, split where either of the two is. Any other character is a word
/// of its own.
fn words(given: &[Kept], name: &[Kept]) -> impl Iterator<Item = Range<usize>> {
    let is_letter = |at: usize| given[at].c.is_alphabetic() && name[at].c.is_alphabetic();
    let is_parted = |at: usize| given[at].is_parted || name[at].is_parted;
    let goes_on = move |at: usize| is_letter(at - 1) && is_letter(at) && !is_parted(at);
    let mut start = 0;
    std::iter::from_fn(move || {
        (start < given.len()).then(|| {
            let end = (start + 1..given.len()).find(|at| !goes_on(*at)).unwrap_or(given.len());
            std::mem::replace(&mut start, end)..end
        })
    })
}

fn letters(kept: &[Kept]) -> Vec<char> {
    kept.iter().map(|kept| kept.c).collect()
}

/// Returns whether the only `letter`, at `at` in `name`, is a label rather than a unit, so that its
/// case does not matter.
fn is_label<'n, N>(letter: char, name: &[Kept], at: usize, names: &N) -> bool
where
    N: Iterator<Item = &'n str> + Clone,
{
    if !letter.is_ascii() || !is_letter(letter) {
        return letter.is_ascii();
    }
    let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| name.get(at));
    let is_quantity = beside.map(|kept| kept.c).any(|c| !c.is_alphabetic() && !matches!(c, '+' | '-'));
    let is_joined = |pair: &[Kept]| pair.iter().all(|kept| kept.c.is_alphabetic()) && !pair[1].is_parted;
    let is_upper = |name: &str| !name.contains(char::is_lowercase) && !is_unit(&name.to_lowercase());
    !is_quantity
        && (name.windows(2).any(is_joined)
            || names.clone().all(|name| name.chars().count() == 1)
            || names.clone().all(is_upper))
}

fn is_word_style(given: &[char], name: &[char]) -> bool {
    let lower: String = name.iter().flat_map(|c| c.to_lowercase()).collect();
    if are_told_apart_by_case(&lower) {
        return are_litres(given, name);
    }
    // An inner capital in both splits both into words: `myId` and `MyId`.
    let is_hump = |word: &[char], at: usize| word[at - 1].is_lowercase() && word[at].is_uppercase();
    let mut ends: Vec<usize> =
        (1..name.len()).filter(|at| is_hump(given, *at) && is_hump(name, *at)).collect();
    ends.push(name.len());
    let mut start = 0;
    ends.into_iter().all(|end| {
        let part = start..std::mem::replace(&mut start, end).max(end);
        is_part_style(&given[part.clone()], &name[part])
    })
}

fn is_part_style(given: &[char], name: &[char]) -> bool {
    if given == name {
        return true;
    }
    let styles = [style(given), style(name)];
    if styles.contains(&Style::Mixed) {
        return name.len() >= LONG;
    }
    let is_code = name.len() == 2 && styles.contains(&Style::Upper) && styles.contains(&Style::Capitalised);
    let lower: String = name.iter().flat_map(|c| c.to_lowercase()).collect();
    !is_code || SHORT_WORDS.contains(&&*lower)
}

fn style(word: &[char]) -> Style {
    let has = |is: fn(char) -> bool, part: &[char]| part.iter().any(|c| is(*c));
    match word {
        word if !has(char::is_uppercase, word) => Style::Lower,
        word if !has(char::is_lowercase, word) => Style::Upper,
        [_, rest @ ..] if !has(char::is_uppercase, rest) => Style::Capitalised,
        _ => Style::Mixed,
    }
}

/// Units, in lower case, that are used with both milli (`m`) and mega (`M`).
const OF_MILLI_AND_MEGA: [&str; 18] =
    ["a", "bar", "cal", "ev", "g", "hz", "j", "l", "m", "mol", "n", "ohm", "pa", "t", "torr", "v", "w", "wh"];

/// In lower case, bits (`b`) and bytes (`B`) after a prefix.
const BITS_AND_BYTES: [&str; 4] = ["b", "bps", "ib", "ibps"];

/// Returns whether both cases of `letter` are a unit, a prefix or a multiple: bit and byte, gram
/// and giga, hour and henry, kilo and kelvin, milli (or metre) and mega (or million), second and
/// siemens, tonne and tera.
pub(super) fn is_letter(letter: char) -> bool {
    matches!(letter.to_ascii_lowercase(), 'b' | 'g' | 'h' | 'k' | 'm' | 's' | 't')
}

/// Returns whether `word`, in lower case, is a different unit in different cases: `mw`, `kb`.
fn are_told_apart_by_case(word: &str) -> bool {
    let is_metric = word.strip_prefix('m').is_some_and(|unit| OF_MILLI_AND_MEGA.contains(&unit));
    let is_binary =
        word.strip_prefix(['k', 'm', 'g', 't', 'p']).is_some_and(|unit| BITS_AND_BYTES.contains(&unit));
    is_metric || is_binary
}

/// Returns whether `word`, in lower case, is a unit of two letters or more.
pub(super) fn is_unit(word: &str) -> bool {
    let is_symbol = |unit: &str| OF_MILLI_AND_MEGA.contains(&unit) || BITS_AND_BYTES.contains(&unit);
    let prefixed = word.strip_prefix(['k', 'm', 'g', 't', 'p', 'n', 'c', 'd', 'h', 'u', 'µ', 'μ']);
    word.chars().count() > 1
        && (is_symbol(word) || prefixed.is_some_and(|unit| is_symbol(unit) || unit == "s"))
}

/// Returns whether both are the same multiple of a litre, which is `l` and `L` (SI Brochure, table
/// 8, note d).
fn are_litres(left: &[char], right: &[char]) -> bool {
    match (left, right) {
        ([prefix, 'l' | 'L'], [other, 'l' | 'L']) => prefix == other,
        _ => false,
    }
}
