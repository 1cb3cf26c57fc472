//! Evidence as numbers.

use extract::metrics::LeafEvidence;

/// Length of [`numbers`].
pub(super) const NUMBERS: usize = 14;

/// Bound of the tokens' probability, and of its distance from 1, that keeps the log odds finite.
const LEAST: f64 = 0.001;

/// The evidence as numbers. What is not known is 0, and has a number of its own that says so.
pub(super) fn numbers(evidence: &LeafEvidence) -> [f64; NUMBERS] {
    let flag = |is: bool| f64::from(u8::from(is));
    let tokens = evidence.tokens.map(|tokens| tokens.probability().clamp(LEAST, 1.0 - LEAST));
    [
        1.0,
        flag(evidence.is_null),
        flag(evidence.is_in_text == Some(true)),
        flag(evidence.is_in_text == Some(false)),
        f64::from(u32::try_from(evidence.chars).unwrap_or(u32::MAX)).ln_1p() / 3.0,
        evidence.agreement.map_or(0.0, |share| 2.0 * share - 1.0),
        flag(evidence.agreement.is_some_and(|share| share > 0.999)),
        tokens.map_or(0.0, |likely| (likely / (1.0 - likely)).ln()),
        flag(tokens.is_some()),
        flag(evidence.has_clear_quote == Some(true)),
        flag(evidence.is_checked),
        flag(evidence.has_changed),
        flag(evidence.is_escalated),
        f64::from(evidence.attempts.saturating_sub(1).min(5)),
    ]
}
