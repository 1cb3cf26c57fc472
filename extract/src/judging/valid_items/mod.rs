//! Accepts a value without its broken items, if the caller asked for that and no attempt is left.
//!
//! This resolves only violations inside items. The remaining value is judged again by all steps, so
//! a list that becomes too short, or a rule over the whole value, decides as for any other value.

mod pruned;

use std::cmp::Reverse;

use self::pruned::PrunedValue;
use super::{accepted_parts::AcceptedParts, judge::judge_whole, value_judge::ErasedAsyncJudge};
use crate::{
    attempt::AttemptRecord,
    contract::Contract,
    settings::ExtractionSettings,
    vocabulary::{
        attempt_status::AttemptStatus,
        left_out::LeftOutItem,
        violation::{Code, Violation},
    },
};

/// How often the remaining value is judged again because judging found more broken items. Nearly
/// all are found at once.
const MAX_ROUNDS: usize = 100;

/// The value of an attempt that was accepted without its broken items.
pub(crate) struct ValidItems {
    /// The number of the attempt.
    pub(crate) attempt: u32,
    pub(crate) left_out: Vec<LeftOutItem>,
    /// Warnings about the remaining value.
    pub(crate) warnings: Vec<Violation>,
}

/// Judges the attempts of `history` without their broken items until `value_judge` accepts one. The
/// attempt with the most valid items comes first; of equals, the latest. `Err` has the message of a
/// panic in the user's code. An attempt that lacks an item of `accepted`, or has another one there,
/// is not a candidate.
pub(crate) async fn accept_valid_items(
    history: &[AttemptRecord],
    contract: &Contract,
    settings: &ExtractionSettings,
    value_judge: &mut dyn ErasedAsyncJudge,
    accepted: Option<&dyn AcceptedParts>,
) -> Result<Option<ValidItems>, String> {
    let is_changed = |value| accepted.is_some_and(|accepted| !accepted.changes_in(value).is_empty());
    let unchanged = history.iter().rev().filter(|record| !record.submitted().is_some_and(is_changed));
    let candidates = unchanged.filter_map(|record| Some((record, pruned(record, contract)?)));
    let mut candidates: Vec<_> = candidates.collect();
    candidates.sort_by_key(|(_, pruned)| Reverse(pruned.count()));
    for (record, pruned) in candidates {
        if let Some((left_out, warnings)) =
            judge_rest(pruned, contract, settings, value_judge, accepted).await?
        {
            return Ok(Some(ValidItems { attempt: record.number, left_out, warnings }));
        }
    }
    Ok(None)
}

/// The value of an attempt without its broken items, if nothing else is wrong with it. A reply that
/// was cut is not a candidate: nobody knows which items are missing.
fn pruned<'r>(record: &'r AttemptRecord, contract: &'r Contract) -> Option<PrunedValue<'r>> {
    let is_whole = record.verdict == AttemptStatus::Rejected;
    let is_of_form = |violation: &Violation| matches!(violation.code, Code::Patch | Code::Continuation);
    let is_failed = record.violations.iter().any(is_of_form);
    let submitted = record.submitted().filter(|_| is_whole && !is_failed)?;
    PrunedValue::new(submitted, contract).without(&record.violations)
}

/// Judges the remaining value, and leaves out further items that are found to be broken. `None` if
/// something else is wrong with it.
async fn judge_rest(
    mut pruned: PrunedValue<'_>,
    contract: &Contract,
    settings: &ExtractionSettings,
    value_judge: &mut dyn ErasedAsyncJudge,
    accepted: Option<&dyn AcceptedParts>,
) -> Result<Option<(Vec<LeftOutItem>, Vec<Violation>)>, String> {
    for _ in 0..MAX_ROUNDS {
        if accepted.is_some_and(|accepted| pruned.lacks_some_of(accepted)) {
            return Ok(None);
        }
        let judged = judge_whole(&pruned.value(), contract, value_judge).await;
        let mut violations = judged.violations;
        if let Some(message) = judged.panic {
            return Err(message);
        }
        if judged.verdict == AttemptStatus::Accepted {
            return Ok(Some((pruned.left_out(contract), violations)));
        }
        settings.apply_fatal_codes(&mut violations);
        match pruned.without(&violations) {
            Some(next) => pruned = next,
            None => return Ok(None),
        }
    }
    Ok(None)
}
