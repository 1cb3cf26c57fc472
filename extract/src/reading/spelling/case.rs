//! Whether words that differ in case only are the same.

use super::{joints::Kept, units};

/// In mixed case (`mW`, `pH`, `AaBb`) each letter of a word of fewer letters counts.
const LONG: usize = 5;

/// Words of two letters. Of others, those with one capital and those with two are different codes, symbols or
/// formulas: `Co` and `CO`.
const SHORT_WORDS: [&str; 10] = ["at", "by", "in", "no", "of", "ok", "on", "or", "to", "up"];

/// How a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Lower,
    Upper,
    Capitalised,
    Mixed,
}

/// Whether `given` and `name`, which are the same without case and joints, differ in style only. `names` are all those
/// among which `name` is one.
pub(super) fn is_style<'n>(
    given: &[Kept],
    name: &[Kept],
    names: impl Iterator<Item = &'n str> + Clone,
) -> bool {
    if given.len() != name.len() {
        return false;
    }
    let mut start = 0;
    while start < given.len() {
        let is_letter = |at: usize| given[at].c.is_alphabetic() && name[at].c.is_alphabetic();
        let is_parted = |at: usize| given[at].is_parted || name[at].is_parted;
        let rest = (start + 1..given.len()).take_while(|at| is_letter(*at) && !is_parted(*at)).count();
        let end = if is_letter(start) { start + 1 + rest } else { start + 1 };
        let letters = |kept: &[Kept]| kept[start..end].iter().map(|kept| kept.c).collect::<Vec<_>>();
        let (left, right) = (letters(given), letters(name));
        let is_same = left == right
            || match left[..] {
                [letter] => is_label(letter, name, start, names.clone()),
                _ => is_word_style(&left, &right),
            };
        if !is_same {
            return false;
        }
        start = end;
    }
    true
}

/// Whether the case of the only `letter`, at `at` in `name`, is not that of a unit.
fn is_label<'n>(
    letter: char,
    name: &[Kept],
    at: usize,
    names: impl Iterator<Item = &'n str> + Clone,
) -> bool {
    if !letter.is_ascii() {
        return false;
    }
    if !units::is_letter(letter) {
        return true;
    }
    let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| name.get(at));
    let mut beside = beside.map(|kept| kept.c);
    if !beside.all(|c| c.is_alphabetic() || matches!(c, '+' | '-')) {
        return false;
    }
    let has_word =
        name.windows(2).any(|pair| pair.iter().all(|kept| kept.c.is_alphabetic()) && !pair[1].is_parted);
    let is_upper = |name: &str| !name.contains(char::is_lowercase) && !units::is_unit(&name.to_lowercase());
    has_word || names.clone().all(|name| name.chars().count() == 1) || names.clone().all(is_upper)
}

fn is_word_style(given: &[char], name: &[char]) -> bool {
    let lower: String = name.iter().flat_map(|c| c.to_lowercase()).collect();
    if units::are_told_apart_by_case(&lower) {
        return units::are_litres(given, name);
    }
    // A capital inside of both parts words in both: `myId` and `MyId`.
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
