//! Decides when two spellings are the same word.
//!
//! Models return names of values, tags and keys in other spellings. A spelling is only taken for a
//! name if every reader would call them the same word, and no other name is spelled like it. In
//! doubt it is left as it is: validation then says "did you mean", which costs an attempt, while a
//! wrong guess costs a wrong value.
//!
//! | | the same | not the same |
//! |---|---|---|
//! | a part | | `refund`, `refund_denied` |
//! | [joints](joints) between words | `in_progress`, `In Progress`, `inProgress`, `in-progress` | `1.5`, `15`; `2024-10`, `202410` |
//! | signs | `covid-19`, `covid19` | `AA-`, `AA`; `-1`, `1`; `C++`, `C`; `T-1`, `T1` |
//! | around it | `goods.`, `"goods"` | `goods...`, `(goods)` |
//! | [marks](joints) of letters in words | `senor`, `señor`; `STRASSE`, `Straße` | `péche`, `pêche`; `A`, `Å`; `и`, `й` |
//! | [case](case) of words | `DONE`, `done`; `eur`, `EUR`; `javascript`, `JavaScript` | |
//! | case of symbols | `KG`, `kg`; `mL`, `ml` | `mW`, `MW`; `Mg`, `mg`; `kb`, `kB`; `Co`, `CO`; `AaBb`, `AABB` |
//! | case of one letter | `a`, `A` of grades; `m`, `M` of sizes; `plan b`, `Plan B` | `m`, `M` beside `km`; `5 m`, `5 M` |

mod case;
mod joints;

use self::joints::{Kept, kept};
use crate::vocabulary::text::spaced;

/// `text` without case, joints and marks. Words with different bare forms are never the same. Words
/// with equal bare forms may still differ in case or marks that matter; see [`is_same`].
pub(super) fn bare(text: &str) -> String {
    folded(&kept(text))
}

/// The words of the key `text` in lower case, each without the `s` of a plural: `due`, `date` of `dueDates`.
pub(super) fn words_of_key(text: &str) -> Vec<String> {
    let spaced = spaced(text).to_lowercase();
    let words = spaced.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_plural = |word: &str| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
    words.map(|word| if is_plural(word) { &word[..word.len() - 1] } else { word }.to_owned()).collect()
}

/// The only one of `options` that is the same word as `text`.
pub(super) fn only<'o>(text: &str, options: &[&'o str]) -> Option<&'o str> {
    only_among(text, options, &options.iter().copied())
}

/// The same for `options` that are those of `names` with its [letters_of_word].
pub(super) fn only_among<'o, 'n, N>(text: &str, options: &[&'o str], names: &N) -> Option<&'o str>
where
    N: Iterator<Item = &'n str> + Clone,
{
    let text = text.trim();
    // One more match than is wanted shows that it is not the only one.
    let those = |is_meant: &dyn Fn(&str) -> bool| -> Vec<&'o str> {
        options.iter().copied().filter(|option| is_meant(option)).take(2).collect()
    };
    let mut found = those(&|option| lower(option).eq(lower(text)));
    if found.is_empty() {
        let given = kept(text);
        let wanted = folded(&given);
        // Comparing the letters alone comes first, because it does not allocate.
        let is_alike = |option: &str| letters(option).eq(letters(text)) && bare(option) == wanted;
        found = those(&|option| is_alike(option) && has_marks_of(&given, &kept(option)));
        if found.is_empty() {
            found = those(&is_alike);
        }
    }
    match found[..] {
        [option] if is_same(text, option, names) && !has_rival(text, option, options) => Some(option),
        _ => None,
    }
}

/// Returns whether `text` has a joint that may stand for a sign of another option than `option`: `A 1` of `A1` and
/// `A-1`.
fn has_rival(text: &str, option: &str, options: &[&str]) -> bool {
    let is_rival =
        |other: &&str| *other != option && letters(other).eq(letters(text)) && bare(other) != bare(text);
    !lower(option).eq(lower(text))
        && options.iter().any(is_rival)
        && kept(text).iter().any(|kept| kept.is_parted)
}

/// Returns whether `text` and `name` are the same word. `names` are all names, including `name`.
pub(super) fn is_same<'n, N>(text: &str, name: &str, names: &N) -> bool
where
    N: Iterator<Item = &'n str> + Clone,
{
    let (given, meant) = (kept(text), kept(name));
    let bare = folded(&given);
    !bare.is_empty() && bare == folded(&meant) && case::is_style(&given, &meant, names)
}

fn lower(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase)
}

/// The letters and digits of `text` without case and marks. Two words that are the same have the same.
pub(super) fn letters_of_word(text: &str) -> String {
    letters(text).collect()
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    let plain = text.chars().flat_map(joints::letters_of).flat_map(char::to_lowercase);
    plain.filter(|c| c.is_alphanumeric())
}

fn has_marks_of(given: &[Kept], name: &[Kept]) -> bool {
    given.iter().map(|kept| kept.marked).eq(name.iter().map(|kept| kept.marked))
}

fn folded(kept: &[Kept]) -> String {
    kept.iter().flat_map(|kept| kept.c.to_lowercase()).collect()
}

#[cfg(test)]
mod tests;
