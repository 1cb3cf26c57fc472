//! Evidence as numbers.

use extract::metrics::LeafEvidence;

/// Length of [`numbers`].
pub(super) const NUMBERS: usize = 15;

/// The evidence as numbers of similar size. What is not known is 0, and has a number of its own that
/// says so.
pub(super) fn numbers(evidence: &LeafEvidence) -> [f64; NUMBERS] {
    let flag = |is: bool| f64::from(u8::from(is));
    let tokens = evidence.tokens.filter(|tokens| tokens.tokens > 0);
    [
        1.0,
        flag(evidence.is_null),
        flag(evidence.is_in_text == Some(true)),
        flag(evidence.is_in_text == Some(false)),
        f64::from(u32::try_from(evidence.chars).unwrap_or(u32::MAX)).ln_1p() / 3.0,
        evidence.agreement.map_or(0.0, |share| 2.0 * share - 1.0),
        flag(evidence.agreement.is_some_and(|share| share > 0.999)),
        tokens.map_or(0.0, |tokens| tokens.mean().max(-5.0).exp()),
        tokens.map_or(0.0, |tokens| tokens.lowest.max(-5.0).exp()),
        flag(evidence.tokens.is_some()),
        flag(evidence.has_clear_quote == Some(true)),
        flag(evidence.is_checked),
        flag(evidence.has_changed),
        flag(evidence.is_escalated),
        f64::from(evidence.attempts.saturating_sub(1).min(5)),
    ]
}
