//! From a value that satisfies the schema to one that is accepted.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
};

use serde_json::Value;

use crate::{
    context::Given,
    contract::Contract,
    described::{self, Described},
    rejection::Rejections,
    text::panic_message,
    validation,
    validation::{Judge, Place},
    violation::{Code, Violation},
};

/// Has the last word on a value.
pub(crate) type OnSubmit<'a, T> = Box<dyn FnMut(&T) -> Result<(), Rejections> + Send + 'a>;

/// What became of a submission; `Err` holds what a panic in the user's code said.
pub(crate) type Findings = Result<Vec<Violation>, String>;

/// The user's part in judging, for a loop that knows nothing of the type that is wanted.
///
/// The steps are taken in this order, each only after the ones before have found no more than warnings.
pub(crate) trait ErasedJudge: Send {
    /// Judges a value by serde, checks and rules.
    fn judge(&mut self, value: &Value) -> Findings;

    /// Judges the healthy parts of a value that is broken elsewhere. This is the only step for such a value.
    fn judge_parts(&mut self, value: &Value, broken: &[Violation]) -> Findings;

    /// Asks the checks and rules of that value that have to be awaited; `None` when there are none.
    fn run_async_checks(&mut self) -> Option<Pin<Box<dyn Future<Output = Findings> + Send + '_>>>;

    /// Asks the callbacks about that value, and keeps it when all of them accept it.
    fn run_callbacks(&mut self) -> Findings;
}

/// How a value becomes a `T`, and which rules judge it.
pub(crate) struct ValueChecks<T> {
    judge: fn(&Contract, &Value, Given<'_>) -> CheckedValue<T>,
    judge_parts: fn(&Contract, &Value, &[Violation], Given<'_>) -> Vec<Violation>,
    run_async: for<'v> fn(T, Given<'v>) -> AsyncChecks<'v, T>,
}

type AsyncChecks<'v, T> = Pin<Box<dyn Future<Output = (T, Findings)> + Send + 'v>>;

impl<T> Clone for ValueChecks<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ValueChecks<T> {}

/// A value that is judged.
struct CheckedValue<T> {
    /// `None` when serde could not make it.
    value: Option<T>,
    violations: Vec<Violation>,
    has_async_checks: bool,
}

impl<T: Described + Send> ValueChecks<T> {
    /// By serde, and the checks and rules of the type.
    pub(crate) const TYPED: Self = Self {
        judge: judge_typed,
        judge_parts: |_, value, broken, context| described::judge_parts::<T>(value, broken, context),
        run_async: run_async_typed,
    };
}

impl ValueChecks<Value> {
    /// By the rules of the contract, which are those of its type if it was made from one.
    pub(crate) const UNTYPED: Self = Self {
        judge: |contract, value, _| {
            let violations = contract.apply_rules(value);
            CheckedValue { value: Some(value.clone()), violations, has_async_checks: false }
        },
        judge_parts: Contract::judge_parts,
        run_async: |value, _| Box::pin(async { (value, Ok(Vec::new())) }),
    };
}

fn judge_typed<T: Described>(_: &Contract, value: &Value, context: Given<'_>) -> CheckedValue<T> {
    match validation::deserialize::<T>(value) {
        Ok(value) => {
            let mut judge = Judge::new(context);
            value.__extract_judge(&Place::root(), &mut judge);
            let has_async_checks = judge.has_later();
            let violations = judge.into_violations();
            CheckedValue { value: Some(value), violations, has_async_checks }
        }
        Err(broken) => {
            let violations = described::with_parts::<T>(value, broken, context);
            CheckedValue { value: None, violations, has_async_checks: false }
        }
    }
}

fn run_async_typed<T: Described + Send>(value: T, context: Given<'_>) -> AsyncChecks<'_, T> {
    Box::pin(async move {
        let mut outcome = Ok(Vec::new());
        for later in described::gather(&value, context) {
            let Ok(violations) = &mut outcome else { break };
            match later.ask().await {
                Ok(more) => violations.extend(more),
                Err(panic) => outcome = Err(panic),
            }
        }
        (value, outcome)
    })
}

/// The contract without its example if the rules reject that one in this context: a wrong example is never shown. A rule
/// that panics has not been asked by the user, so the panic only means that the example is none.
pub(crate) fn with_example_for<T>(
    checks: ValueChecks<T>,
    contract: Contract,
    context: Given<'_>,
) -> Contract {
    let is_accepted = contract.example().is_none_or(|example| {
        let judged = catch_unwind(AssertUnwindSafe(|| (checks.judge)(&contract, example, context)));
        judged.is_ok_and(|candidate| candidate.value.is_some() && candidate.violations.is_empty())
    });
    if is_accepted { contract } else { contract.without_example() }
}

/// ValueJudge of a `T`.
pub(crate) struct ValueJudge<'s, 'a, T> {
    checks: ValueChecks<T>,
    contract: &'s Contract,
    context: Given<'s>,
    callbacks: &'s mut [OnSubmit<'a, T>],
    /// What passed until now.
    candidate: Option<T>,
    has_async_checks: bool,
    accepted: Option<T>,
    /// What was submitted, where it holds what is not to be repeated.
    seen: Option<Value>,
}

impl<'s, 'a, T> ValueJudge<'s, 'a, T> {
    pub(crate) fn new(
        checks: ValueChecks<T>,
        contract: &'s Contract,
        context: Given<'s>,
        callbacks: &'s mut [OnSubmit<'a, T>],
    ) -> Self {
        Self {
            checks,
            contract,
            context,
            callbacks,
            candidate: None,
            has_async_checks: false,
            accepted: None,
            seen: None,
        }
    }

    /// What a panic over `value` said, without what is not to be repeated.
    fn said(&self, panic: &(dyn Any + Send), value: &Value) -> String {
        self.contract.redacted_text(panic_message(panic).to_owned(), value)
    }

    /// The value that was accepted, if one was.
    pub(crate) fn into_accepted(self) -> Option<T> {
        self.accepted
    }
}

impl<T: Send> ErasedJudge for ValueJudge<'_, '_, T> {
    fn judge(&mut self, value: &Value) -> Findings {
        // Nothing of ours is left half-changed by a panic.
        let judged =
            catch_unwind(AssertUnwindSafe(|| (self.checks.judge)(self.contract, value, self.context)));
        let candidate = judged.map_err(|panic| self.said(&*panic, value))?;
        (self.candidate, self.has_async_checks) = (candidate.value, candidate.has_async_checks);
        self.seen = self.contract.sensitive().map(|_| value.clone());
        Ok(self.contract.redacted(candidate.violations, value))
    }

    fn judge_parts(&mut self, value: &Value, broken: &[Violation]) -> Findings {
        let judge =
            AssertUnwindSafe(|| (self.checks.judge_parts)(self.contract, value, broken, self.context));
        let violations = catch_unwind(judge).map_err(|panic| self.said(&*panic, value))?;
        Ok(self.contract.redacted(violations, value))
    }

    fn run_async_checks(&mut self) -> Option<Pin<Box<dyn Future<Output = Findings> + Send + '_>>> {
        let running =
            (self.checks.run_async)(self.candidate.take_if(|_| self.has_async_checks)?, self.context);
        Some(Box::pin(async {
            let (value, outcome) = running.await;
            self.candidate = Some(value);
            let Some(seen) = &self.seen else { return outcome };
            match outcome {
                Ok(violations) => Ok(self.contract.redacted(violations, seen)),
                Err(panic) => Err(self.contract.redacted_text(panic, seen)),
            }
        }))
    }

    fn run_callbacks(&mut self) -> Findings {
        let Some(value) = self.candidate.take() else { return Ok(Vec::new()) };
        let callbacks = &mut *self.callbacks;
        let decided = catch_unwind(AssertUnwindSafe(|| {
            let mut judge = Judge::default();
            for callback in callbacks {
                if let Err(rejections) = callback(&value) {
                    judge.reject(rejections, &Place::root(), &Code::Rejected);
                }
            }
            judge.into_violations()
        }));
        let violations = decided.map_err(|panic| match &self.seen {
            Some(seen) => self.said(&*panic, seen),
            None => panic_message(&*panic).to_owned(),
        })?;
        if violations.iter().all(Violation::is_warning) {
            self.accepted = Some(value);
        }
        Ok(match &self.seen {
            Some(seen) => self.contract.redacted(violations, seen),
            None => violations,
        })
    }
}
