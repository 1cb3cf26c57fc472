//! Fractions and powers in digits: `1/2`, `2 1/2`, `10^3`.

use crate::document::value::tokens::QuoteToken;

/// The values of the fractions and powers in `tokens`. A fraction is also rounded to two to four
/// decimals.
pub(super) fn fractions(tokens: &[QuoteToken]) -> Vec<f64> {
    let mut found = Vec::new();
    for (at, three) in tokens.windows(3).enumerate() {
        let [QuoteToken::Number(left), mark, QuoteToken::Number(right)] = three else { continue };
        let (Some(left), Some(right)) = (left.first(), right.first()) else { continue };
        if mark.is_mark('^') {
            found.push(left.powf(*right));
        }
        if (mark.is_mark('/') || mark.is_mark('\u{2044}')) && *right > 0.0 {
            let fraction = left / right;
            let whole = at.checked_sub(1).and_then(|before| tokens[before].values().first());
            for whole in whole.into_iter().chain([&0.0]) {
                let value = whole + fraction;
                let rounded = [1e2, 1e3, 1e4].map(|places| (value * places).round() / places);
                found.extend(rounded.into_iter().chain([value]));
            }
        }
    }
    found
}
