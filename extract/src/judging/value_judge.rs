//! Turns a value that satisfies the schema into an accepted value, and judges what is only a part of the
//! whole: one part of a value as soon as it is complete, and the answers to chunks of a document.

use std::{
    any::Any,
    borrow::Cow,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;

use crate::{
    contract::Contract,
    derive_support::{self, DescribedType},
    reading::ReadingOptions,
    validation::{self, ClosedPart, LazyPath, PartFindings, RuleJudge},
    vocabulary::{
        context::ErasedContext,
        path::Path,
        rejection::Rejections,
        text::panic_message,
        violation::{Code, Severity, Violation},
    },
};

/// A user's callback that accepts or rejects a value.
pub(crate) type OnSubmit<'a, T> = Box<dyn FnMut(&T) -> Result<(), Rejections> + Send + 'a>;

/// The violations that one step found; `Err` has the message of a panic in the user's code.
pub(crate) type JudgeFindings = Result<Vec<Violation>, String>;

/// A [`ValueJudge`] without its type, for the loop.
///
/// The steps run in this order, each only if the steps before found nothing worse than warnings.
pub(crate) trait ErasedJudge {
    /// Judges a value by serde, checks and rules.
    fn judge(&mut self, value: &Value) -> JudgeFindings;

    /// Judges a reply by its text, if that is known to satisfy the schema and nobody needs the JSON.
    fn judge_text(&mut self, _text: &str, _options: &ReadingOptions) -> Option<JudgeFindings> {
        None
    }

    /// Judges the valid parts of a value that is broken elsewhere. This is the only step for such
    /// a value.
    fn judge_parts(&mut self, value: &Value, broken: &[Violation]) -> JudgeFindings;

    /// Runs the callbacks on that value, and keeps it if all of them accept it.
    fn run_callbacks(&mut self) -> JudgeFindings;
}

/// An [`ErasedJudge`] for a value that may be sent to another thread, between two steps or while a
/// step is waiting.
pub(crate) trait ErasedAsyncJudge: ErasedJudge + Send {
    /// Runs the async checks and rules on the value, before the callbacks; `None` without any.
    fn run_async_checks(&mut self) -> Option<Pin<Box<dyn Future<Output = JudgeFindings> + Send + '_>>> {
        None
    }
}

/// How a value becomes a `T`, and which rules check it.
pub(crate) struct ValueChecks<T> {
    judge: fn(&Contract, &Value, ErasedContext<'_>) -> CheckedValue<T>,
    /// The same for a text, if that is known to satisfy the schema. `None` if the value is its JSON.
    judge_text: Option<TextJudge<T>>,
    judge_parts: fn(&Contract, &Value, &[Violation], ErasedContext<'_>) -> Vec<Violation>,
    judge_part: fn(&Contract, ClosedPart<'_>, ErasedContext<'_>) -> PartFindings,
    /// `None` if the value cannot wait.
    run_async: Option<for<'v> fn(T, ErasedContext<'v>) -> AsyncChecks<'v, T>>,
}

type TextJudge<T> = fn(&Contract, &str, &ReadingOptions, ErasedContext<'_>) -> Option<CheckedValue<T>>;

type AsyncChecks<'v, T> = Pin<Box<dyn Future<Output = (T, JudgeFindings)> + Send + 'v>>;

impl<T> Clone for ValueChecks<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ValueChecks<T> {}

/// A value after its checks.
struct CheckedValue<T> {
    /// `None` if serde could not deserialize it.
    value: Option<T>,
    violations: Vec<Violation>,
    has_async_checks: bool,
}

impl<T> ValueChecks<T> {
    /// Returns whether the value is its JSON, with all members of that.
    pub(crate) fn is_of_json(&self) -> bool {
        self.judge_text.is_none()
    }

    /// The same without async checks.
    pub(crate) fn without_async(self) -> Self {
        Self { run_async: None, ..self }
    }

    /// Judges the parts of `value` that are not `broken`.
    fn judge_parts(
        &self,
        contract: &Contract,
        value: &Value,
        broken: &[Violation],
        context: ErasedContext<'_>,
    ) -> JudgeFindings {
        let judge = AssertUnwindSafe(|| (self.judge_parts)(contract, value, broken, context));
        let violations = catch_unwind(judge)
            .map_err(|panic| contract.redacted_text(panic_message(&*panic).to_owned(), value))?;
        Ok(contract.redacted(violations, value))
    }
}

impl<T: DescribedType> ValueChecks<T> {
    /// Serde, and the checks and rules of the type that do not wait.
    pub(crate) const SYNC: Self = Self {
        judge: judge_typed,
        judge_text: Some(|contract, text, options, context| {
            let value = contract.read_conforming(text, options)?;
            Some(check_typed(value, RuleJudge::new(context)))
        }),
        judge_parts: |_, value, broken, context| derive_support::judge_parts::<T>(value, broken, context),
        judge_part: |_, part, context| derive_support::judge_part::<T>(part, context),
        run_async: None,
    };
}

impl<T: DescribedType + Send> ValueChecks<T> {
    /// Serde, and the checks and rules of the type.
    pub(crate) const TYPED: Self = Self { run_async: Some(run_async_typed), ..Self::SYNC };
}

impl ValueChecks<Value> {
    /// The rules of the contract, including its type's rules if it was made from one.
    pub(crate) const UNTYPED: Self = Self {
        judge: |contract, value, _| {
            let violations = contract.apply_rules(value);
            CheckedValue { value: Some(value.clone()), violations, has_async_checks: false }
        },
        judge_text: None,
        judge_parts: Contract::judge_parts,
        judge_part: Contract::judge_part,
        run_async: None,
    };
}

fn judge_typed<T: DescribedType>(_: &Contract, value: &Value, context: ErasedContext<'_>) -> CheckedValue<T> {
    match validation::deserialize::<T>(value) {
        Ok(typed) => check_typed(typed, RuleJudge::of(value, context)),
        Err(broken) => {
            let violations = derive_support::with_parts::<T>(value, broken, context);
            CheckedValue { value: None, violations, has_async_checks: false }
        }
    }
}

/// Runs the checks and rules of the type.
fn check_typed<T: DescribedType>(value: T, judge: RuleJudge<'_>) -> CheckedValue<T> {
    // The value lives shorter than its JSON.
    let mut judge = judge;
    value.__extract_judge(&LazyPath::root(), &mut judge);
    let has_async_checks = judge.has_deferred;
    let violations = judge.into_violations();
    CheckedValue { value: Some(value), violations, has_async_checks }
}

fn run_async_typed<T: DescribedType + Send>(value: T, context: ErasedContext<'_>) -> AsyncChecks<'_, T> {
    Box::pin(async move {
        let mut outcome = Ok(Vec::new());
        for deferred in derive_support::deferred_checks(&value, context) {
            let Ok(violations) = &mut outcome else { break };
            match deferred.ask().await {
                Ok(more) => violations.extend(more),
                Err(panic) => outcome = Err(panic),
            }
        }
        (value, outcome)
    })
}

/// Drops the example of the contract if the rules reject it in this context: a wrong example is
/// never shown. The example is also dropped if a rule panics, because the user did not ask for this
/// run.
pub(crate) fn with_example_for<T>(
    checks: ValueChecks<T>,
    contract: Contract,
    context: ErasedContext<'_>,
) -> Contract {
    let is_accepted = contract.example().is_none_or(|example| {
        let judged = catch_unwind(AssertUnwindSafe(|| (checks.judge)(&contract, example, context)));
        judged.is_ok_and(|candidate| candidate.value.is_some() && candidate.violations.is_empty())
    });
    if is_accepted { contract } else { contract.without_example() }
}

/// Judges the submissions for a `T`, and keeps the accepted value.
pub(crate) struct ValueJudge<'s, 'a, T> {
    checks: ValueChecks<T>,
    contract: &'s Contract,
    context: ErasedContext<'s>,
    callbacks: &'s mut [OnSubmit<'a, T>],
    /// The value that passed the steps so far.
    candidate: Option<T>,
    has_async_checks: bool,
    accepted: Option<T>,
    /// The submitted value, if the contract has sensitive values or the accepted one is kept as JSON.
    seen: Option<Value>,
    accepted_json: Option<AcceptedJson>,
    judges_text: bool,
}

impl<'s, 'a, T> ValueJudge<'s, 'a, T> {
    pub(crate) fn new(
        checks: ValueChecks<T>,
        contract: &'s Contract,
        context: ErasedContext<'s>,
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
            accepted_json: None,
            judges_text: false,
        }
    }

    /// Judges a value by its text where possible, because nobody else sees its JSON.
    pub(crate) fn judging_text(mut self) -> Self {
        self.judges_text = true;
        self
    }

    /// Also keeps the JSON of the accepted value in `json`.
    pub(crate) fn keeping(mut self, json: Option<AcceptedJson>) -> Self {
        self.accepted_json = json;
        self
    }

    /// The message of a panic over `value`, redacted.
    fn said(&self, panic: &(dyn Any + Send), value: &Value) -> String {
        self.contract.redacted_text(panic_message(panic).to_owned(), value)
    }

    fn accept(&mut self, value: T) {
        self.accepted = Some(value);
        if let Some(json) = &self.accepted_json {
            json.set(self.seen.as_ref());
        }
    }

    /// The accepted value, if there is one.
    pub(crate) fn into_accepted(self) -> Option<T> {
        self.accepted
    }

    /// The value of a loop that ended well.
    pub(crate) fn into_value(self) -> T {
        self.accepted.expect("the loop ends well only after a value was accepted")
    }
}

impl<T> ErasedJudge for ValueJudge<'_, '_, T> {
    fn judge(&mut self, value: &Value) -> JudgeFindings {
        // A panic leaves our state consistent.
        let judged =
            catch_unwind(AssertUnwindSafe(|| (self.checks.judge)(self.contract, value, self.context)));
        let candidate = judged.map_err(|panic| self.said(&*panic, value))?;
        (self.candidate, self.has_async_checks) = (candidate.value, candidate.has_async_checks);
        self.seen =
            (self.accepted_json.is_some() || self.contract.sensitive().is_some()).then(|| value.clone());
        Ok(self.contract.redacted(candidate.violations, value))
    }

    fn judge_text(&mut self, text: &str, options: &ReadingOptions) -> Option<JudgeFindings> {
        let judge = self.checks.judge_text.filter(|_| self.judges_text && self.accepted_json.is_none())?;
        let judged = AssertUnwindSafe(|| judge(self.contract, text, options, self.context));
        // A panic in code of the user is reported when the value is judged: here it may not conform yet.
        let candidate = catch_unwind(judged).ok()??;
        (self.candidate, self.has_async_checks) = (candidate.value, candidate.has_async_checks);
        Some(Ok(candidate.violations))
    }

    fn judge_parts(&mut self, value: &Value, broken: &[Violation]) -> JudgeFindings {
        self.checks.judge_parts(self.contract, value, broken, self.context)
    }

    fn run_callbacks(&mut self) -> JudgeFindings {
        let Some(value) = self.candidate.take() else { return Ok(Vec::new()) };
        if self.callbacks.is_empty() {
            self.accept(value);
            return Ok(Vec::new());
        }
        let callbacks = &mut *self.callbacks;
        let decided = catch_unwind(AssertUnwindSafe(|| {
            let mut judge = RuleJudge::default();
            for callback in callbacks {
                if let Err(rejections) = callback(&value) {
                    judge.reject(rejections, &LazyPath::root(), &Code::Rejected);
                }
            }
            judge.into_violations()
        }));
        let violations = decided.map_err(|panic| match &self.seen {
            Some(seen) => self.said(&*panic, seen),
            None => panic_message(&*panic).to_owned(),
        })?;
        if violations.iter().all(Violation::is_warning) {
            self.accept(value);
        }
        Ok(match &self.seen {
            Some(seen) => self.contract.redacted(violations, seen),
            None => violations,
        })
    }
}

impl<T: Send> ErasedAsyncJudge for ValueJudge<'_, '_, T> {
    fn run_async_checks(&mut self) -> Option<Pin<Box<dyn Future<Output = JudgeFindings> + Send + '_>>> {
        let run_async = self.checks.run_async?;
        let running = run_async(self.candidate.take_if(|_| self.has_async_checks)?, self.context);
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
}

/// Receives the JSON of an accepted value, with the spans of its quotes; see
/// [`Extraction::keep_json`](crate::Extraction::keep_json). Clones share it.
#[derive(Debug, Clone, Default)]
pub struct AcceptedJson(Arc<Mutex<Option<Value>>>);

impl AcceptedJson {
    /// Takes the value; `None` if none was accepted, or if it was taken before.
    pub fn take(&self) -> Option<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(crate) fn set(&self, value: Option<&Value>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = value.cloned();
    }
}

/// Parts of the value that were accepted before the value as a whole, such as the items of a list
/// that were delivered. No later attempt may change them.
pub(crate) trait AcceptedParts: Send + Sync {
    /// How `value` differs from them, as violations with [`Code::Changed`].
    fn changes_in(&self, value: &Value) -> Vec<Violation>;

    /// Returns whether `path` is one of them, or inside one.
    fn include(&self, path: &Path) -> bool;

    /// Returns whether one of them is inside `path`.
    fn are_within(&self, path: &Path) -> bool;
}

/// Makes violations inside accepted parts fatal: those parts can neither stay nor change.
pub(super) fn end_at_accepted(accepted: &dyn AcceptedParts, violations: &mut [Violation]) {
    if violations.iter().any(|violation| violation.code == Code::Changed) {
        // An accepted part was changed, and the agent can change it back.
        return;
    }
    for violation in violations.iter_mut().filter(|violation| !violation.is_warning()) {
        if accepted.include(&violation.path) {
            violation.severity = Severity::Fatal;
        }
    }
}

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
