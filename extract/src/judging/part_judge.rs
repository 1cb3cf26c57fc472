//! Judges one part of a value as soon as it is complete.

use std::{
    borrow::Cow,
    panic::{AssertUnwindSafe, catch_unwind},
};

use serde_json::Value;

use super::value_judge::ValueChecks;
use crate::{
    contract::Contract,
    validation::{self, ClosedPart, PartFindings},
    vocabulary::{context::ErasedContext, text::panic_message},
};

/// Judges parts of a `T` while the rest is still being written.
///
/// It reports what the judgement of the whole value will report for a part and everything inside
/// it, unless that depends on the rest. So rules of the values around the part do not run, nor do
/// async checks and callbacks. The cost is proportional to the part.
pub(crate) struct PartJudge<'c, T> {
    contract: Contract,
    checks: ValueChecks<T>,
    context: ErasedContext<'c>,
}

impl<'c, T> PartJudge<'c, T> {
    pub(crate) fn new(contract: Contract, checks: ValueChecks<T>, context: ErasedContext<'c>) -> Self {
        Self { contract, checks, context }
    }

    /// Returns the whole value with the spans of its quotes.
    pub(crate) fn grounded<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        self.contract.ground(value).value
    }

    /// Returns the violations of the schema in `part`; without any, the violations of serde, checks
    /// and rules. `Err` has the message of a panic in the user's code.
    pub(crate) fn judge(&self, part: ClosedPart<'_>) -> Result<PartFindings, String> {
        Ok(self.judge_placed(part)?.0)
    }

    /// Returns the same, and the part with the spans of its quotes; `None` if they depend on the
    /// whole value.
    pub(crate) fn judge_placed<'p>(
        &self,
        part: ClosedPart<'p>,
    ) -> Result<(PartFindings, Option<Cow<'p, Value>>), String> {
        let (findings, placed) = self.contract.validate_part(part);
        if !findings.violations.is_empty() {
            return Ok((findings, placed));
        }
        let judge = AssertUnwindSafe(|| (self.checks.judge_part)(&self.contract, part, self.context));
        let findings = catch_unwind(judge)
            .map_err(|panic| self.contract.redacted_part_text(panic_message(&*panic), part))?;
        let mut violations = self.contract.redacted_part(findings.violations, part);
        validation::sort(&mut violations);
        Ok((PartFindings { violations, ..findings }, placed))
    }
}
