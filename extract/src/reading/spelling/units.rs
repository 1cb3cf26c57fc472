//! Units whose case matters.
//!
//! The prefixes and symbols are from the SI Brochure (9th edition, sections 2.3 and 3) and IEC
//! 80000-13. Only pairs in actual use are listed; other symbols of mixed case are short, and the
//! case of each of their letters counts anyway.

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
pub(super) fn are_told_apart_by_case(word: &str) -> bool {
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
pub(super) fn are_litres(left: &[char], right: &[char]) -> bool {
    match (left, right) {
        ([prefix, 'l' | 'L'], [other, 'l' | 'L']) => prefix == other,
        _ => false,
    }
}
