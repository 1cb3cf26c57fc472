//! Judges the answers to chunks of a document.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
};

use serde_json::Value;

use super::value_judge::{ErasedAsyncJudge, ErasedJudge, JudgeFindings, ValueChecks};
use crate::{
    contract::Contract,
    vocabulary::{
        context::ErasedContext,
        path::Path,
        text::panic_message,
        violation::{Code, Violation},
    },
};

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
        let judged = catch_unwind(AssertUnwindSafe(|| {
            self.checks.judge_parts(self.contract, value, broken, self.context)
        }));
        let violations =
            judged.map_err(|panic| self.contract.redacted_text(panic_message(&*panic).to_owned(), value))?;
        Ok(self.contract.redacted(violations, value))
    }

    fn run_callbacks(&mut self) -> JudgeFindings {
        self.accepted = self.candidate.take();
        Ok(Vec::new())
    }
}

impl<T: Send> ErasedAsyncJudge for ChunkJudge<'_, T> {
    fn run_async_checks(&mut self) -> Option<Pin<Box<dyn Future<Output = JudgeFindings> + Send + '_>>> {
        None
    }
}
