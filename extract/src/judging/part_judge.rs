//! Judges what is only a part of the whole: one part of a value as soon as it is complete, and the
//! answers to chunks of a document.

use std::{
    borrow::Cow,
    panic::{AssertUnwindSafe, catch_unwind},
};

use serde_json::Value;

use super::value_judge::{ErasedAsyncJudge, ErasedJudge, JudgeFindings, ValueChecks};
use crate::{
    contract::Contract,
    validation::{self, ClosedPart, PartFindings},
    vocabulary::{
        context::ErasedContext,
        path::Path,
        text::panic_message,
        violation::{Code, Violation},
    },
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
        let findings = catch_unwind(judge).map_err(|panic| {
            self.contract.redacted_text_at(part.path, panic_message(&*panic).to_owned(), part.value)
        })?;
        let mut violations = self.contract.redacted_at(part.path, findings.violations, part.value);
        validation::sort(&mut violations);
        Ok((PartFindings { violations, ..findings }, placed))
    }
}

/// Judges the answers to one chunk. The checks and rules of their parts run. Those of the whole
/// wait for the merged value, and so do async checks and callbacks.
pub(crate) struct ChunkJudge<'s, T> {
    checks: ValueChecks<T>,
    contract: &'s Contract,
    context: ErasedContext<'s>,
    candidate: Option<Value>,
    accepted: Option<Value>,
}

impl<'s, T> ChunkJudge<'s, T> {
    pub(crate) fn new(checks: ValueChecks<T>, contract: &'s Contract, context: ErasedContext<'s>) -> Self {
        Self { checks, contract, context, candidate: None, accepted: None }
    }

    /// Returns the accepted answer with the spans of its quotes, if there is one.
    pub(crate) fn into_accepted(self) -> Option<Value> {
        self.accepted
    }
}

impl<T> ErasedJudge for ChunkJudge<'_, T> {
    fn judge(&mut self, value: &Value) -> JudgeFindings {
        // The whole is not there yet. For its parts, that is the same as a broken whole.
        let whole = Violation::new(Path::root(), Code::Rule, "the value is a part of the whole");
        let findings = self.judge_parts(value, &[whole])?;
        self.candidate = Some(value.clone());
        Ok(findings)
    }

    fn judge_parts(&mut self, value: &Value, broken: &[Violation]) -> JudgeFindings {
        self.checks.judge_parts(self.contract, value, broken, self.context)
    }

    fn run_callbacks(&mut self) -> JudgeFindings {
        self.accepted = self.candidate.take();
        Ok(Vec::new())
    }
}

impl<T: Send> ErasedAsyncJudge for ChunkJudge<'_, T> {}
