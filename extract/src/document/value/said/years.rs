//! Years of other calendars.

use crate::document::value::tokens::QuoteToken;

/// Names of eras, and the years between ours and theirs.
const ERAS: [(&str, f64); 9] = [
    ("令和", 2018.0),
    ("平成", 1988.0),
    ("昭和", 1925.0),
    ("大正", 1911.0),
    ("明治", 1867.0),
    ("民國", 1911.0),
    ("民国", 1911.0),
    ("仏暦", BUDDHIST),
    ("佛历", BUDDHIST),
];

/// The usual calendar of Thailand.
const BUDDHIST: f64 = -543.0;

/// The years of our calendar that `numbers` may be in the eras that `tokens` name.
pub(super) fn years(tokens: &[QuoteToken], numbers: &[f64]) -> Vec<f64> {
    let words = || tokens.iter().filter_map(QuoteToken::word);
    let is_named = |name: &str| words().any(|word| word.contains(name));
    let is_thai = words().any(|word| word.contains(|c| ('\u{e00}'..='\u{e7f}').contains(&c)));
    let first = is_named("元年").then_some(1.0);
    let named = ERAS.iter().filter(|(name, _)| is_named(name)).map(|(_, offset)| *offset);
    let offsets: Vec<f64> = named.chain(is_thai.then_some(BUDDHIST)).collect();
    let numbers = numbers.iter().copied().chain(first);
    let mut years: Vec<f64> =
        numbers.flat_map(|number| offsets.iter().map(move |offset| number + offset)).collect();
    years.retain(|year| (1_800.0..2_200.0).contains(year));
    years
}
